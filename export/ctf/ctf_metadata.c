/* SPDX-License-Identifier: Apache-2.0 */
/* The description of a trace in the Common Trace Format 1.8. */
#include <config.h>

#include "export/ctf/ctf.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "export/fields.h"
#include "print/print.h"
#include "util/text.h"

enum { RESULTS = 1024 };	/* a CUresult is less */

uint32_t ctf_size(const struct print_param *param)
{
	switch (typed_kind(param)) {
	case TYPED_TEXT:
		return 0;
	case TYPED_HEX:
		return sizeof(uint64_t);
	default:
		return param->shape.value.size;
	}
}

enum ctf_half ctf_half(const struct print_param *param)
{
	return param->direction == CUAUDIT_OUT || param->direction == CUAUDIT_INOUT ? CTF_EXIT
										     : CTF_ENTRY;
}

/* Between quotes; a text that people read, too. */
static void escaped(FILE *file, const char *text)
{
	struct text_character next;

	for (size_t at = 0, size = strlen(text); at < size; at += next.length) {
		next = text_next(text + at, size - at);
		if (!text_prints(next))
			fputs(TEXT_REPLACEMENT, file);
		else if (text[at] == '"' || text[at] == '\\')
			fprintf(file, "\\%c", text[at]);
		else
			fwrite(text + at, 1, next.length, file);
	}
}

static void quoted(FILE *file, const char *text)
{
	fputc('"', file);
	escaped(file, text);
	fputc('"', file);
}

static void variable(FILE *file, const char *name, const char *text)
{
	fprintf(file, "\t%s = ", name);
	quoted(file, text);
	fputs(";\n", file);
}

static void uuid(FILE *file, const uint8_t *bytes)
{
	for (int i = 0; i < 16; i++)
		fprintf(file, "%s%02x", i == 4 || i == 6 || i == 8 || i == 10 ? "-" : "", bytes[i]);
}

static void environment(FILE *file, const struct trace *trace)
{
	const struct cuaudit_trace_header *header = &trace->header;
	char command[sizeof(header->command)];
	unsigned int major = 0, minor = 0, patch = 0;

	trace_command(trace, command);
	sscanf(PACKAGE_VERSION, "%u.%u.%u", &major, &minor, &patch);
	fputs("env {\n", file);
	variable(file, "hostname", header->host);
	/* Of the user's programs, not of the kernel. */
	variable(file, "domain", "ust");
	variable(file, "tracer_name", "cuaudit");
	fprintf(file, "\ttracer_major = %u;\n\ttracer_minor = %u;\n\ttracer_patchlevel = %u;\n",
		major, minor, patch);
	variable(file, "procname", fields_program(trace));
	variable(file, "program", header->program);
	variable(file, "command", command);
	fprintf(file, "\tvpid = %u;\n", header->pid);
	if (header->rank >= 0)
		fprintf(file, "\trank = %d;\n", header->rank);
	fputs("};\n\n", file);
}

static void types(FILE *file)
{
	static const struct {
		const char *name, *kind;
	} kinds[] = { { "int", "signed = true" }, { "uint", "signed = false" } };

	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
		for (int size = 8; size <= 64; size *= 2)
			fprintf(file, "typealias integer { size = %d; align = 8; %s; } := %s%d_t;\n",
				size, kinds[i].kind, kinds[i].name, size);
	fputs("typealias integer { size = 64; align = 8; signed = false; base = 16; } := hex64_t;\n"
	      "typealias string { encoding = UTF8; } := text_t;\n"
	      "typealias floating_point { exp_dig = 8; mant_dig = 24; align = 8; } := real32_t;\n"
	      "typealias floating_point { exp_dig = 11; mant_dig = 53; align = 8; } := real64_t;\n\n",
	      file);
}

static void trace_and_stream(FILE *file, const struct ctf *ctf)
{
	fputs("trace {\n\tmajor = 1;\n\tminor = 8;\n\tuuid = \"", file);
	uuid(file, ctf->stream.uuid);
	fprintf(file, "\";\n\tbyte_order = %s;\n",
		__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? "le" : "be");
	fputs("\tpacket.header := struct {\n"
	      "\t\tuint32_t magic;\n\t\tuint8_t uuid[16];\n\t\tuint32_t stream_id;\n\t};\n};\n\n",
	      file);
	environment(file, ctf->trace);
	fputs("clock {\n\tname = \"realtime\";\n\tdescription = \"CLOCK_REALTIME\";\n"
	      "\tfreq = 1000000000;\n\toffset_s = 0;\n\toffset = 0;\n\tabsolute = TRUE;\n};\n\n"
	      "typealias integer {\n\tsize = 64; align = 8; signed = false;\n"
	      "\tmap = clock.realtime.value;\n} := clock_t;\n\n"
	      "stream {\n\tid = 0;\n"
	      "\tpacket.context := struct {\n"
	      "\t\tclock_t timestamp_begin;\n\t\tclock_t timestamp_end;\n"
	      "\t\tuint64_t content_size;\n\t\tuint64_t packet_size;\n"
	      "\t\tuint64_t packet_seq_num;\n\t\tuint64_t events_discarded;\n\t};\n"
	      "\tevent.header := struct {\n\t\tuint32_t id;\n\t\tclock_t timestamp;\n\t};\n"
	      "\tevent.context := struct {\n\t\tuint32_t _vpid;\n\t\tint32_t _vtid;\n\t};\n};\n\n",
	      file);
}

/* An enumeration of texts, those of equal ones once. */
static void texts(FILE *file, const char *name, const struct labels *labels)
{
	fputs("typealias enum : uint32_t {\n\t\"none\" = 0xffffffff", file);
	for (uint32_t i = 0; i < labels->count; i++) {
		if (labels->numbers[i] != i)
			continue;
		fputs(",\n\t", file);
		quoted(file, labels->texts[i]);
		fprintf(file, " = %u", i);
	}
	fprintf(file, "\n} := %s_t;\n\n", name);
}

/* Those of functions such as that one; its name, where it is the runtime's, makes them cudaError_t's. */
static void results(FILE *file, const char *type, const char *function)
{
	char text[PRINT_RESULT];

	fputs("typealias enum : int32_t {", file);
	for (int32_t i = 0; i < RESULTS; i++) {
		print_result_text(text, function, i);
		if (*text < '0' || *text > '9')
			fprintf(file, "%s\n\t\"%s\" = %d", i ? "," : "", text, i);
	}
	fprintf(file, "\n} := %s;\n\n", type);
}

/* 0 or -ENOMEM. */
static int kernels(FILE *file, const struct ctf *ctf)
{
	const struct trace *trace = ctf->trace;
	uint8_t *seen = calloc(trace->nnames / 8 + 1, 1);

	if (!seen)
		return -ENOMEM;
	fputs("typealias enum : uint32_t {\n\t\"none\" = 0xffffffff", file);
	for (size_t i = 0; i < trace->nkernels; i++) {
		uint32_t number = trace->kernels[i].number;

		if (seen[number / 8] >> number % 8 & 1)
			continue;
		seen[number / 8] |= (uint8_t)(1 << number % 8);
		fputs(",\n\t", file);
		quoted(file, trace->kernels[i].name);
		fprintf(file, " = %u", number);
	}
	fputs("\n} := kernel_t;\n\n", file);
	free(seen);
	return 0;
}

static void parameter(FILE *file, const struct print_param *param)
{
	uint32_t bits = ctf_size(param) * 8;

	switch (typed_kind(param)) {
	case TYPED_INT:
		fprintf(file, "\t\t\tint%u_t", bits);
		break;
	case TYPED_UINT:
		fprintf(file, "\t\t\tuint%u_t", bits);
		break;
	case TYPED_HEX:
		fputs("\t\t\thex64_t", file);
		break;
	case TYPED_REAL:
		fprintf(file, "\t\t\treal%u_t", bits);
		break;
	case TYPED_TEXT:
		fputs("\t\t\ttext_t", file);
		break;
	}
	/* "..." is no name there. */
	fprintf(file, " _%s;\n", param->shape.value.kind == PRINT_UNKNOWN ? "others" : param->name);
}

static void parameters(FILE *file, const struct ctf *ctf, uint32_t number, enum ctf_half half)
{
	const struct typed_params *params = &ctf->functions[number].params;
	bool some = false, numbers = false;

	for (uint32_t i = 0; ctf->arguments && i < params->count; i++) {
		if (ctf_half(&params->params[i]) != half)
			continue;
		if (!some)
			fputs("\t\tstruct {\n", file);
		some = true;
		parameter(file, &params->params[i]);
		numbers |= ctf_size(&params->params[i]) > 0;
	}
	if (numbers)
		fputs("\t\t\ttext_t _not_recorded;\n", file);
	if (some)
		fputs("\t\t} _arguments;\n", file);
}

static void event(FILE *file, const char *prefix, const char *name, const char *suffix, uint32_t id)
{
	fprintf(file, "event {\n\tname = \"%s:", prefix);
	escaped(file, name);
	fprintf(file, "%s\";\n\tid = %u;\n\tstream_id = 0;\n\tfields := struct {\n", suffix, id);
}

/* Of another library's, or of an export table, 0 says that it returned; what a hook answered is a number. */
static const char *result_type(const struct trace_function *function)
{
	if (trace_result_unknown(function, 0))
		return "returned_t";
	return print_is_runtime(function->name) ? "runtime_result_t" : "result_t";
}

static void function(FILE *file, const struct ctf *ctf, uint32_t number)
{
	const char *name = ctf->trace->functions[number].name;

	event(file, "cuda", name, "_entry", number * CTF_HALVES + CTF_ENTRY);
	fputs("\t\tuint64_t _correlation;\n\t\tlibrary_t _library;\n\t\tcaller_t _caller;\n"
	      "\t\tuint16_t _depth;\n", file);
	if (ctf->trace->ncallers)
		fputs("\t\tstack_t _stack;\n", file);
	if (ctf->functions[number].launch.launches)
		fputs("\t\tkernel_t _kernel;\n", file);
	parameters(file, ctf, number, CTF_ENTRY);
	fputs("\t};\n};\n\n", file);
	event(file, "cuda", name, "_exit", number * CTF_HALVES + CTF_EXIT);
	fprintf(file, "\t\tuint64_t _correlation;\n\t\t%s _result;\n\t\tuint8_t _skipped;\n",
		result_type(&ctf->trace->functions[number]));
	parameters(file, ctf, number, CTF_EXIT);
	fputs("\t};\n};\n\n", file);
}

static void other(FILE *file, const struct ctf *ctf, enum ctf_other number, const char *name)
{
	event(file, "cuda", name, "", (uint32_t)ctf->trace->nfunctions * CTF_HALVES + number);
	fputs("\t\ttext_t _text;\n\t};\n};\n\n", file);
}

static void ranges(FILE *file, const struct ctf *ctf)
{
	static const char *const names[CTF_OTHERS] = {
		[CTF_RANGE_PUSH] = "push", [CTF_RANGE_POP] = "pop", [CTF_RANGE_START] = "start",
		[CTF_RANGE_END] = "end", [CTF_RANGE_MARK] = "mark",
	};

	if (!(ctf->trace->header.incompatible & CUAUDIT_TRACE_HAS_RANGES))
		return;
	for (uint32_t i = CTF_RANGE_PUSH; i < CTF_OTHERS; i++) {
		event(file, "nvtx", names[i], "", (uint32_t)ctf->trace->nfunctions * CTF_HALVES + i);
		fputs("\t\ttext_t _text;\n\t\ttext_t _domain;\n\t\ttext_t _category;\n"
		      "\t\ttext_t _colour;\n\t\ttext_t _payload;\n\t\tuint64_t _id;\n\t};\n};\n\n", file);
	}
}

int ctf_metadata(const struct ctf *ctf)
{
	const struct trace *trace = ctf->trace;
	int fd = openat(ctf->stream.directory, "metadata", O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
	FILE *file = fd < 0 ? NULL : fdopen(fd, "w");
	int error;

	if (!file) {
		error = -errno;
		if (fd >= 0)
			close(fd);
		return error;
	}
	fputs("/* CTF 1.8 */\n\n", file);
	types(file);
	trace_and_stream(file, ctf);
	fputs("typealias enum : int32_t { \"returned\" = 0 } := returned_t;\n\n", file);
	results(file, "result_t", NULL);
	results(file, "runtime_result_t", "cudaMalloc");
	texts(file, "library", &ctf->libraries);
	texts(file, "caller", &ctf->callers);
	texts(file, "stack", &ctf->stacks);
	error = kernels(file, ctf);
	for (uint32_t i = 0; i < trace->nfunctions; i++)
		function(file, ctf, i);
	other(file, ctf, CTF_MARK, "mark");
	other(file, ctf, CTF_LOST, "lost");
	ranges(file, ctf);
	errno = 0;
	/* What could not be written is tried again, which says why. */
	if (!error && (fflush(file) || ferror(file)))
		error = errno ? -errno : -EIO;
	errno = 0;
	if (fclose(file) && !error)
		error = errno ? -errno : -EIO;
	return error;
}
