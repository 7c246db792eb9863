/* SPDX-License-Identifier: Apache-2.0 */
/* The library of comm.h, whose functions answer by what they were given. */
#include "comm.h"

comm_result commReduce(const void *send, void *restrict receive, size_t count, comm_type type,
		       comm_op op, comm_t comm, stream_t stream, comm_alias other)
{
	return send && !receive && count && type == commFloat && op == commSum && comm && !stream &&
	       other == commDouble ? commOk : commBad;
}

comm_result commInit(comm_t *comm, int ranks, comm_id id, int rank, struct config *config)
{
	return !comm && ranks == 2 && id.internal[127] == 7 && rank == 1 && !config ? commOk : commBad;
}

const char *commError(comm_result result)
{
	return result == commLost ? "lost" : "no error";
}

comm_result commLog(comm_t comm, const char *format, ...)
{
	(void)comm;
	return format ? commOk : commLost;
}

comm_result commWatch(comm_t comm, comm_callback callback, void (*last)(void *), enum plain_mode mode)
{
	(void)comm;
	(void)callback;
	(void)last;
	return mode == PLAIN_ON ? commOk : commBad;
}

comm_result commNumbers(int8_t small, uint8_t byte, int16_t word, uint32_t number, int64_t wide,
			_Bool flag, const unsigned values[4])
{
	return small == -1 && byte == 255 && word == -2 && number == 4000000000u && wide == -5 && flag &&
	       values ? commOk : commBad;
}

comm_result commScale(float factor, double by, const char *name, int after)
{
	(void)name;
	return factor == 1.5f && by == -0.25 && after == 9 ? commOk : commBad;
}

double commMean(double first, float second, int count, const double *more)
{
	return count == 2 && !more ? (first + (double)second) / 2 : 0;
}

float commHalf(float value)
{
	return value / 2;
}

_Bool commIs(_Bool value)
{
	return value;
}

void *commSame(void *address)
{
	return address;
}

/* A text, none, and what is no text's address. */
char *commText(int which)
{
	static char text[] = "a \"text\", of\ntwo lines";

	return which < 2 ? which ? text : (char *)0 : (char *)0x10;
}

signed char commSmall(int value)
{
	return (signed char)value;
}

long long commWide(long long value)
{
	return value;
}

comm_result commPair(int before, pair value, int after)
{
	return before == 1 && value.y == 2 && after == 3 ? commOk : commBad;
}

comm_id commId(int number)
{
	comm_id id = { .internal = { (char)number } };

	return id;
}

void commEnd(void)
{
}

unsigned long commVersion(void)
{
	return 22106;
}

comm_result commMany(int a, int b, int c, int d, int e, int f, int g, int h, int i, int j, int k,
		     int l, int m, int n, int o, int p, int q)
{
	return a + b + c + d + e + f + g + h + i + j + k + l + m + n + o + p + q == 153 ? commOk : commBad;
}
