/* SPDX-License-Identifier: Apache-2.0 */
/* tracefile/demangle.c: what C++ calls its functions, and names that are there to hurt. */
#include "tracefile/demangle.h"

#include "t/fuzz/chance.h"
#include "t/tap.h"


static const struct name {
	const char *symbol, *full, *brief, *base;
} names[] = {
	{ "_Z1fi", "f(int)", "f", "f" },
	{ "_Z1fIiEvT_", "void f<int>(int)", "f<int>", "f" },
	{ "_ZN2at6native29vectorized_elementwise_kernelILi4ENS0_15CUDAFunctor_addIfEESt5arrayIPcLm3EEEEviT0_T1_",
	  "void at::native::vectorized_elementwise_kernel<4, at::native::CUDAFunctor_add<float>, "
	  "std::array<char*, 3ul> >(int, at::native::CUDAFunctor_add<float>, std::array<char*, 3ul>)",
	  "at::native::vectorized_elementwise_kernel<4, at::native::CUDAFunctor_add<float>, "
	  "std::array<char*, 3ul> >",
	  "at::native::vectorized_elementwise_kernel" },
	{ "_ZN12_GLOBAL__N_11fIbEEvv", "void (anonymous namespace)::f<bool>()",
	  "(anonymous namespace)::f<bool>", "(anonymous namespace)::f" },
	{ "_ZNK1AclEv", "A::operator()() const", "A::operator()", "A::operator()" },
	{ "_ZN1AixEi", "A::operator[](int)", "A::operator[]", "A::operator[]" },
	{ "_ZNK1AptEv", "A::operator->() const", "A::operator->", "A::operator->" },
	/* What would have nine times the bytes is written in the next way. */
	{ "_ZNSt6vectorIS_INSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEESaIS5_EESaIS7_EE17_M_realloc_insert"
	  "IJRKS7_EEEvN9__gnu_cxx17__normal_iteratorIPS7_S9_EEDpOT_",
	  "std::vector<std::vector<std::__cxx11::basic_string<char, std::char_traits<char>, std::allocator<char> >, "
	  "std::allocator<std::__cxx11::basic_string<char, std::char_traits<char>, std::allocator<char> > > >, "
	  "std::allocator<std::vector<std::__cxx11::basic_string<char, std::char_traits<char>, std::allocator<char> >, "
	  "std::allocator<std::__cxx11::basic_string<char, std::char_traits<char>, std::allocator<char> > > > > >"
	  "::_M_realloc_insert<std::vector<std::__cxx11::basic_string<char, std::char_traits<char>, std::allocator<char> >, "
	  "std::allocator<std::__cxx11::basic_string<char, std::char_traits<char>, std::allocator<char> > > > const&>",
	  "=", "std::vector::_M_realloc_insert" },
	{ "_ZN1AcviEv", "A::operator int()", "A::operator int", "A::operator int" },
	{ "_ZN1AnwEm", "A::operator new(unsigned long)", "A::operator new", "A::operator new" },
	{ "_ZlsR1Ai", "operator<<(A&, int)", "operator<<", "operator<<" },
	{ "_ZltIiEbT_S0_", "bool operator< <int>(int, int)", "operator< <int>", "operator<" },
	{ "_Z11operator_tki", "operator_tk(int)", "operator_tk", "operator_tk" },
	{ "_ZNKR1A1fEv", "A::f() const &", "A::f", "A::f" },
	{ "_ZNO1A1fEv", "A::f() &&", "A::f", "A::f" },
	{ "_ZN1A1gB5cxx11Ev", "A::g[abi:cxx11]()", "A::g", "A::g" },
	{ "_ZN1AD1Ev", "A::~A()", "A::~A", "A::~A" },
	{ "_Z1fv.part.0", "f() [clone .part.0]", "f", "f" },
	{ "_ZZN1A1fIiEEvT_ENKUlvE_clEv", "A::f<int>(int)::{lambda()#1}::operator()() const",
	  "A::f<int>::{lambda#1}::operator()", "A::f::{lambda#1}::operator()" },
	{ "_Z1fIXadL_ZN1AgtERKS0_EEEvv", "void f<&A::operator> >()", "f<&A::operator> >", "f" },
	{ "_Z1fIXgtLi3ELi2EEEvv", "void f<((3)>(2))>()", "f<((3)>(2))>", "f" },
	{ "_Z1fIXptL_Z1gE1hEEvv", "void f<g->h>()", "f<g->h>", "f" },
	{ "_Z1gIiEDTptfp_1xET_", "decltype ({parm#1}->x) g<int>(int)", "g<int>", "g" },
	/* What is shortened is a function's name. */
	{ "_Z1fIiEPFviEv", "void (*f<int>())(int)", "void (*f<int>())(int)", "void (*f<int>())(int)" },
	/* Not C++'s, or not all of it. */
	{ "saxpy", NULL, NULL, NULL },
	{ "i", NULL, NULL, NULL },
	{ "", NULL, NULL, NULL },
	{ "_", NULL, NULL, NULL },
	{ "_Z", NULL, NULL, NULL },
	{ "_Z1", NULL, NULL, NULL },
	{ "_ZN2at6native", NULL, NULL, NULL },
	{ "_ZN1A", NULL, NULL, NULL },
};

static void are(const char *symbol, const char *full, const char *brief, const char *base,
		const char *what)
{
	const char *const expected[] = { NULL, base, brief, full };
	static const char *const styles[] = { "no", "base", "short", "full" };

	for (int i = 0; i < 4; i++) {
		char *got = demangle(symbol, demangle_named(styles[i]));

		is_str(got, expected[i] && *expected[i] == '=' ? full : expected[i], "%s: %s", what,
		       styles[i]);
		free(got);
	}
}

static void pairs(char *symbol, int levels)
{
	static const char digits[] = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ";
	char *at = symbol + sprintf(symbol, "_Z1f1ASt4pairIS_S_E");

	/* Each says the one before twice. */
	for (int i = 1; i < levels; i++)
		at += sprintf(at, "S0_IS%c_S%c_E", digits[i], digits[i]);
}

static void hurt(void)
{
	static char symbol[1 << 20];
	char *got;

	pairs(symbol, 4);
	got = demangle(symbol, DEMANGLE_FULL);
	ok(got && strlen(got) > 300, "pairs of pairs, four deep");
	free(got);
	pairs(symbol, 8);
	are(symbol, "f", "f", "f", "... eight deep");
	pairs(symbol, 30);
	are(symbol, NULL, NULL, NULL, "32 GB in 340 bytes");

	strcpy(symbol, "_Z1f");
	memset(symbol + 4, 'P', 400);
	strcpy(symbol + 404, "i");
	got = demangle(symbol, DEMANGLE_FULL);
	ok(got && strlen(got) == 3 + 3 + 400, "400 pointers to pointers");
	free(got);
	memset(symbol + 4, 'P', sizeof(symbol) - 6);
	symbol[sizeof(symbol) - 2] = 'i';
	are(symbol, NULL, NULL, NULL, "a million of them");

	/* The longest name that is taken, and the next. */
	memcpy(symbol, "_Z1016", 6);
	memset(symbol + 6, 'a', 1016);
	strcpy(symbol + 6 + 1016, "v");
	got = demangle(symbol, DEMANGLE_BASE);
	ok(got && strlen(got) == 1016, "a name of %zu bytes", strlen(symbol));
	free(got);
	strcpy(symbol + 6 + 1016, "ii");
	are(symbol, NULL, NULL, NULL, "one of 1,024");

	/* Deeper than brackets are followed: all of it is there, then. */
	strcpy(symbol, "_Z1fI");
	for (int i = 0; i < 80; i++)
		strcat(symbol, "1AI");
	strcat(symbol, "i");
	for (int i = 0; i < 80; i++)
		strcat(symbol, "E");
	strcat(symbol, "Evv");
	got = demangle(symbol, DEMANGLE_BASE);
	ok(got && !strncmp(got, "void f<A<A<", 11) && strstr(got, ">()"), "80 templates in each other");
	free(got);
}

/* One of the names, with up to four changes. */
static void damage(char *symbol, size_t room)
{
	static const char letters[] = "SIEJT_0123456789NKRPvifLXZ";
	size_t length;

	strcpy(symbol, names[chance(sizeof(names) / sizeof(names[0]))].symbol);
	length = strlen(symbol);
	for (uint64_t left = 1 + chance(4); left && length > 2 && length < room - 40; left--) {
		char *at = symbol + 2 + chance(length - 2);
		size_t behind = length - (size_t)(at - symbol), more = 1 + chance(30);
		uint64_t how = chance(3);

		if (how == 0) {
			*at = letters[chance(sizeof(letters) - 1)];
		} else if (how == 1) {
			memmove(at, at + 1, behind);
		} else {
			/* Says a part of itself twice. */
			more = more < behind ? more : behind;
			memmove(at + more, at, behind + 1);
		}
		length = strlen(symbol);
	}
}

static void survive(void)
{
	char symbol[1024];
	int understood = 0, long_ones = 0;

	for (uint64_t i = 0; i < 100000; i++) {
		char *got;

		chance_begin(1, i);
		damage(symbol, sizeof(symbol));
		got = demangle(symbol, DEMANGLE_BASE + (enum demangle)chance(3));
		understood += got != NULL;
		long_ones += got && strlen(got) > DEMANGLE_TIMES * strlen(symbol);
		free(got);
	}
	ok(understood > 5000 && !long_ones, "of 100,000 damaged ones %d mean something, none is too long",
	   understood);
}

int main(void)
{
	if (!demangle_is_there()) {
		puts("1..0 # SKIP built without libsupc++");
		return 0;
	}
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		are(names[i].symbol, names[i].full, names[i].brief, names[i].base, names[i].symbol);
	hurt();
	survive();
	return done_testing();
}
