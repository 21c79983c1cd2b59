# loopbench_debian_suffix(RESULT ID NUMBER CODENAME): sets RESULT to the end of the version of packages for a release
# of a distribution. A release that is still in development has no number. Its packages are older than those of the
# finished release (dpkg sorts ~ before everything), and newer than those of the release before if its number is known.
set(number_of_forky 14)
set(number_of_duke 15)
function(loopbench_debian_suffix result id number codename)
    set(suffix "${id}${number}")
    if(NOT number)
        set(suffix "${id}${number_of_${codename}}~${codename}")
    endif()
    string(REGEX REPLACE "[^a-z0-9.~]" "" suffix "${suffix}")
    set(${result} "${suffix}" PARENT_SCOPE)
endfunction()
