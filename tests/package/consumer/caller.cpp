// Calls the main function of consumer.cpp, which is in a shared library.
int main_in_library();

int main() {
    return main_in_library();
}
