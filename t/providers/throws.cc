/* SPDX-License-Identifier: Apache-2.0 */
/* Catches exceptions that come out of a library, and out of what it calls back. */
#include <cstdio>
#include <stdexcept>
#include <string>

namespace provided {
struct Thing {
	int value;
	explicit Thing(int value);
	virtual ~Thing();
	std::string name() const;
};
void raise(int value);
void call(void (*function)(int), int value);
}

static int destroyed;

struct Counts {
	~Counts() { destroyed++; }
};

static void inner(int value)
{
	Counts counts;

	if (value)
		provided::call(inner, value - 1);
	else
		provided::raise(value);
}

int main()
{
	provided::Thing thing(3);

	std::puts(thing.name().c_str());
	for (int i = 0; i < 5; i++)
		try {
			inner(i);
		} catch (const std::exception &e) {
			std::printf("%s, %d destroyed\n", e.what(), destroyed);
		}
	return 0;
}
