/* SPDX-License-Identifier: Apache-2.0 */
/* A library in C++: exceptions go through its callers. */
#include <stdexcept>
#include <string>

namespace provided {

struct Thing {
	int value;
	explicit Thing(int value);
	virtual ~Thing();
	std::string name() const;
};

Thing::Thing(int value) : value(value)
{
}

Thing::~Thing()
{
}

std::string Thing::name() const
{
	return "thing " + std::to_string(value);
}

void raise(int value)
{
	throw std::runtime_error("raised " + std::to_string(value));
}

void call(void (*function)(int), int value)
{
	function(value);
}

}
