/* SPDX-License-Identifier: Apache-2.0 */
/* A library of the shape of those whose types are read: enumerations, handles, structures, attributes. */
#ifndef COMM_H
#define COMM_H

#include <stddef.h>
#include <stdint.h>

#define COMM_API __attribute__((visibility("default")))
#define COMM_ID_BYTES 128

#ifdef __cplusplus
extern "C" {
#endif

typedef struct comm *comm_t;
typedef struct stream *stream_t;
typedef struct { char internal[COMM_ID_BYTES]; } comm_id;
typedef struct { float x, y; } pair;
typedef enum { commOk = 0, commBad = 4, commLost = -2 } comm_result;
typedef enum { commInt8 = 0, commChar = 0, commFloat = 7, commDouble } comm_type;
typedef enum { commOpDummy = 3 } comm_op_dummy;
/* Values that a compiler alone knows. */
typedef enum {
	commSum, commMax, commOpLast = 0x7fffffff >> (32 - 8 * sizeof(comm_op_dummy))
} comm_op;
enum plain_mode { PLAIN_OFF, PLAIN_ON };
typedef comm_type comm_alias;
typedef void (*comm_callback)(int kind, const char *text, ...);
struct config;

static inline int comm_local(int value)
{
	return value + 1;
}

__attribute__((unused)) static inline int comm_other(void) { return 0; }

COMM_API comm_result commReduce(const void *send, void *restrict receive, size_t count, comm_type type,
				comm_op op, comm_t comm, stream_t stream, comm_alias other);
COMM_API comm_result commInit(comm_t *comm, int ranks, comm_id id, int rank, struct config *config);
COMM_API const char *commError(comm_result result) __attribute__((deprecated("use another")));
COMM_API comm_result commLog(comm_t, const char *format, ...);
COMM_API comm_result commWatch(comm_t comm, comm_callback callback, void (*last)(void *), enum plain_mode mode);
extern comm_result commNumbers(int8_t small, uint8_t byte, int16_t word, uint32_t number, int64_t wide,
			       _Bool flag, const unsigned values[4]) COMM_API;
COMM_API comm_result commScale(float factor, double by, const char *name, int after);
COMM_API double commMean(double first, float second, int count, const double *more);
COMM_API float commHalf(float value);
COMM_API _Bool commIs(_Bool value);
COMM_API void *commSame(void *address);
COMM_API char *commText(int which);
COMM_API signed char commSmall(int value);
COMM_API long long commWide(long long value);
COMM_API comm_result commPair(int before, pair value, int after);
COMM_API comm_id commId(int number);
COMM_API void commEnd(void);
COMM_API unsigned long commVersion(void);
COMM_API comm_result commMany(int a, int b, int c, int d, int e, int f, int g, int h, int i, int j, int k,
			      int l, int m, int n, int o, int p, int q);

#ifdef __cplusplus
}
#endif
#endif
