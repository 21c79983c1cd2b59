// A C++ program, whose part can be in another language.
extern "C" int part();

int main() {
    return part();
}
