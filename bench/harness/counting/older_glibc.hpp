// Makes a shared object that is linked with glibc 2.34 or newer need only the versions of these functions
// that glibc has always had on x86-64. The object must be linked with libdl.so.2, which has the functions in
// older versions of glibc.
#pragma once

__asm__(".symver dlsym, dlsym@GLIBC_2.2.5");
__asm__(".symver dladdr, dladdr@GLIBC_2.2.5");
