// Ends with 0 if sources that are compiled with dropin.hpp and sources that are compiled without it work in
// one program.
bool stock_part(bool uses_asios_scheduler);
bool swapped_part(bool uses_asios_scheduler);

int main() {
    for (int i = 0; i < 2; ++i) {
        if (!stock_part(true)) return 1;
        if (!swapped_part(false)) return 2;
    }
    return 0;
}
