/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Whose turn it is, by the code that decides it, in processes that are simulated in one, on a clock of the test's: who
 * has which part of the device, how much of it is used, and what becomes of it when processes are killed and stopped.
 */
#include <cuaudit/clock.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "hooks/modules/limit/limit_account.h"
#include "hooks/modules/limit/limit_driver.h"
#include "hooks/modules/limit/limit_flight.h"
#include "hooks/modules/limit/limit_lease_rows.h"
#include "hooks/modules/limit/limit_lease_turns.h"
#include "t/fuzz/chance.h"
#include "t/tap.h"

#define NEVER UINT64_MAX
#define MS UINT64_C(1000000)
#define US UINT64_C(1000)

enum {
	MOST = 8, EVENTS = 4096, QUEUE = 1024,
	WAKE = 30000,		/* ns that one takes who is woken, */
	REACH = 5000,		/* a submission to reach the device, */
	RETURN = 10000,		/* and a synchronising call to return */
	REST = 50000,		/* as in limit_flight.c */
	TURN = 1000000,		/* of a device that goes from one to the other */
	PAUSE = 5000000,	/* a thread that waited so long */
	COLD = 3000000,		/* is slower for so long */
	AHEAD = 2,
	FIRST = 40000		/* ns of a kernel that a process begins with */
};

/* How it waits for its kernels: by something else than a driver call, which it may have put behind them, or each. */
enum waiting { BY_CALL, UNSEEN, MARKED, MARKED_EACH };

/* A process, which launches `every` kernels, waits for them, and does something else. */
static struct process {
	uint32_t weight, cap;
	uint64_t kernel, cost, gap;	/* ns of a kernel, of its launch and between */
	int every;
	uint64_t cold;			/* ns by which a launch takes longer after a pause */
	enum waiting waiting;
	uint64_t first;			/* so many of its kernels are others */

	uint64_t host_at, look_at;	/* when its thread, and its helper, go on */
	int launched;			/* since it waited */
	bool waits, syncs, dead, stopped;
	bool awaits;			/* that the device has done all */
	uint64_t waits_from, warm;	/* since when; when it is not slower any more */
	uint64_t late;			/* ns by which its helper is, at most */
	uint64_t submitted, finished;
	uint64_t left;			/* of the kernel that the device is at */
	uint64_t since, arrivals[QUEUE];	/* when it came */
	uint64_t had, launches, last, longest;	/* longest: time without a launch */
} processes[MOST], *current;

static int count;
static uint64_t now, end, event_count;
static uint64_t timer = 60 * US;	/* by which a sleep is longer */
static uint64_t turning = 5 * US;	/* how long it takes the device to go from one to the other */
static struct {
	const struct process *process;
	uint64_t number;
} events[EVENTS];
static bool shares;	/* else all submit as they like */

/* It does a kernel after the other, in the order in which they came, or goes from process to process. */
static struct {
	bool turns;
	struct process *runs;
	uint64_t from, until, turn_end;
} device;

/* The file, and what each has of its own row. */
static struct lease_header file_header;
static uint64_t clocks_back;	/* how often the clock of tags went back */
static struct lease_row file_rows[MOST + 1], own_rows[MOST + 1];

/* What the code under test needs of all else. */
struct lease_options lease_options = { .on = true };
struct lease leases[LEASE_ORDINALS];
struct lease_header lease_header;
struct lease_row lease_rows[LEASE_ROWS + 1];
uint32_t rows_mine, rows_last;
_Atomic bool lease_lost;

int clock_gettime(clockid_t clock, struct timespec *time)
{
	(void)clock;
	*time = (struct timespec){ .tv_sec = (time_t)(now / 1000000000), .tv_nsec = (long)(now % 1000000000) };
	return 0;
}

/* The clock of calls is the same. */
struct cuaudit_clock_state cuaudit_clock = { .mult = 1 };

uint64_t cuaudit_clock_monotonic(void)
{
	return now;
}

static void act_as(struct process *process)
{
	current = process;
	rows_mine = (uint32_t)(process - processes) + 1;
	lease_options.weight = process->weight;
	lease_options.cap = process->cap;
}

static struct lease *lease_of(const struct process *process)
{
	return &leases[process - processes];
}

void lease_set_open(struct lease *lease, bool open)
{
	struct process *process = &processes[lease - leases];

	lease->open = open;
	if (open && process->waits && process->host_at > now + WAKE)
		process->host_at = now + WAKE;
}

void lease_lose(const char *what, const char *why)
{
	ok(false, "the share is lost: %s %s", what, why);
}

static uint64_t stop;	/* for so long a process is stopped the next time that it writes in the middle of its slice */

/* What was on its way is done when it goes on, and its thread, which waited for that, is first. */
static void stop_in_look(void)
{
	struct lease *lease = lease_of(current);

	now += stop;
	stop = 0;
	current->finished = current->submitted;
	device.from = now;
	current->left = REACH;
	device.until = now + REACH;
	current->host_at = now + RETURN;
	lease->covered = lease->entered;
	lease_settle(lease);
}

bool rows_write(void)
{
	file_rows[rows_mine] = lease_rows[rows_mine];
	if (stop && lease_of(current)->state == LEASE_HOLDS && lease_of(current)->busy_from &&
	    !lease_of(current)->price.mixed && lease_of(current)->slice_end < now + 5 * MS)
		stop_in_look();
	return true;
}

bool rows_write_header(void)
{
	lease_header.bell++;
	clocks_back += lease_header.devices[0].clock < file_header.devices[0].clock;
	file_header = lease_header;
	return true;
}

bool rows_lock(void)
{
	lease_header = file_header;
	return true;
}

void rows_unlock(void)
{
}

bool rows_is_alive(uint32_t row)
{
	return !processes[row - 1].dead;
}

void rows_wake(void)
{
	for (int i = 0; i < count; i++)
		if (processes[i].look_at > now + WAKE && lease_of(&processes[i])->asked)
			processes[i].look_at = now + WAKE;
}

const char *rows_path(void)
{
	return "the file";
}

const char *rows_fault(void)
{
	return "broken";
}

CUevent driver_event_create(void)
{
	return event_count < EVENTS - 1 ? (CUevent)(uintptr_t)++event_count : NULL;
}

void driver_event_destroy(CUevent event)
{
	(void)event;
}

bool driver_event_record(CUevent event, CUstream stream)
{
	(void)stream;
	events[(uintptr_t)event].process = current;
	events[(uintptr_t)event].number = current->submitted;
	return true;
}

bool driver_event_pending(CUevent event)
{
	return events[(uintptr_t)event].number > events[(uintptr_t)event].process->finished;
}

bool driver_capturing(CUstream stream)
{
	(void)stream;
	return false;
}

uint64_t driver_context(CUcontext context)
{
	return (uintptr_t)context + 1;
}

static uint64_t least(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

/* Of the one that it is at. */
static uint64_t kernel_of(const struct process *process)
{
	return process->finished < process->first ? FIRST : process->kernel;
}

/* The next one that has work, after the one that ran. */
static struct process *next_on_device(void)
{
	struct process *best = NULL;
	int from = device.runs ? (int)(device.runs - processes) + 1 : 0;

	for (int i = 0; i < count; i++) {
		struct process *process = &processes[device.turns ? (from + i) % count : i];

		if (process->submitted != process->finished && (!best || process->since < best->since))
			best = process;
		if (best && device.turns)
			break;
	}
	return best;
}

static void start_on_device(void)
{
	struct process *process = next_on_device(), *before = device.runs;
	uint64_t reached;

	device.until = NEVER;
	if (!process)
		return;
	reached = now > process->since + REACH ? now : process->since + REACH;
	device.from = reached + (before && before != process ? turning : 0) * device.turns;
	device.runs = process;
	device.turn_end = device.from + TURN;
	device.until = device.from + (device.turns ? least(process->left, TURN) : process->left);
}

/* What the device does behind the end is not counted. */
static void device_goes_on(void)
{
	struct process *process = device.runs;

	if (device.from < end)
		process->had += least(now, end) - device.from;
	process->left -= now - device.from;
	if (!process->left && process->submitted != process->finished) {
		process->finished++;
		process->left = kernel_of(process);
		process->since = process->arrivals[process->finished % QUEUE];
		if (process->awaits && process->finished == process->submitted)
			process->host_at = now + RETURN;
	}
	start_on_device();
}

static void work(struct process *process)
{
	process->arrivals[process->submitted % QUEUE] = now;
	if (process->submitted++ == process->finished) {
		process->since = now;
		process->left = kernel_of(process);
	}
	if (device.until == NEVER)
		start_on_device();
	process->launches++;
	if (now - process->last > process->longest)
		process->longest = now - process->last;
	process->last = now;
}

/* As submit and submitted of limit_lease_calls.c. When the thread goes on. */
static uint64_t submit(struct process *process)
{
	struct lease *lease = lease_of(process);

	if (!process->waits && lease->contested && flight_poll(lease) >= AHEAD) {
		flight_held(lease);
		return now + REST + timer;
	}
	if (!process->waits && lease->contested)
		lease_begins(lease);
	lease->entered++;
	if (!lease->open) {
		lease_return(lease);
		if (!process->waits) {
			flight_cover(lease, NULL);
			process->waits_from = now;
		}
		process->waits = true;
		lease->asked = now;
		lease->waits_from = process->waits_from;
		process->look_at = least(process->look_at, now + WAKE);
		return now + 50 * MS;
	}
	if (process->waits && now - process->waits_from > PAUSE)
		process->warm = now + COLD;
	if (process->waits)
		flight_goes_on(lease);
	process->waits = false;
	lease->asked = 0;
	if (lease->contested)
		lease_busy(lease);
	work(process);
	if (lease->contested)
		flight_submitted(lease, NULL);
	if (lease->contested && process->waiting == MARKED_EACH)
		flight_mark(lease, NULL);
	lease_return(lease);
	process->syncs = ++process->launched == process->every;
	return now + process->cost + (now < process->warm ? process->cold : 0);
}

/* As sync, then synced. */
static uint64_t synchronise(struct process *process)
{
	struct lease *lease = lease_of(process);

	if (process->launched) {
		if (lease->contested && process->waiting == BY_CALL)
			flight_cover(lease, FLIGHT_NONE);
		if (lease->contested && process->waiting == MARKED)
			flight_mark(lease, NULL);
		lease->syncing += process->waiting == BY_CALL;
		process->launched = 0;
		process->awaits = process->finished != process->submitted;
		return process->awaits ? NEVER : now + RETURN;
	}
	process->awaits = false;
	process->syncs = false;
	if (process->waiting != BY_CALL)
		return now + process->gap;
	lease->covered = lease->entered;
	lease->syncing--;
	if (lease->contested)
		lease_settle(lease);
	return now + process->gap;
}

static void look(struct process *process)
{
	uint64_t ns;

	lease_header = file_header;
	memcpy(lease_rows, file_rows, sizeof(file_rows));
	lease_rows[rows_mine] = own_rows[rows_mine];
	ns = lease_look(lease_of(process));
	own_rows[rows_mine] = lease_rows[rows_mine];
	process->look_at = !ns ? now + US : ns == NEVER ? NEVER : now + ns + timer;
	/* One time in four. */
	if (process->late && process->look_at != NEVER && !chance(4))
		process->look_at += chance(process->late);
}

/* Until a moment, at which the test does something. */
static void run_until(uint64_t until)
{
	for (;;) {
		uint64_t next = least(until, device.until);
		struct process *who = NULL;
		bool looks = false;

		for (int i = 0; i < count; i++) {
			struct process *process = &processes[i];

			if (process->dead || process->stopped)
				continue;
			if (process->host_at < next) {
				next = process->host_at;
				who = process;
				looks = false;
			}
			if (shares && process->look_at < next) {
				next = process->look_at;
				who = process;
				looks = true;
			}
		}
		now = next > now ? next : now;
		if (!who && now == device.until && now < until) {
			device_goes_on();
			continue;
		}
		if (!who)
			return;
		act_as(who);
		if (looks)
			look(who);
		else
			who->host_at = who->syncs ? synchronise(who) : submit(who);
	}
}

static void begin_process(int number)
{
	struct process *process = &processes[number];
	struct lease *lease = &leases[number];

	memset(lease, 0, sizeof(*lease));
	own_rows[number + 1] = (struct lease_row){ .weight = process->weight };
	file_rows[number + 1] = own_rows[number + 1];
	lease->used = LEASE_KNOWN;
	lease->batch = 4;
	lease->open = !shares;
	lease->cap.since = now;
	process->host_at = now + (uint64_t)number * 100 * US;
	process->look_at = NEVER;
	process->dead = process->stopped = process->waits = process->syncs = process->awaits = false;
	process->finished = process->submitted;
	process->launched = 0;
	process->had = process->launches = process->longest = 0;
	process->last = now;
}

/* What is in processes, for so long. */
static void begin(int number, bool with_shares, uint64_t duration)
{
	now = 1000000000;
	device.runs = NULL;
	device.until = NEVER;
	event_count = 0;
	end = now + duration;
	count = number;
	shares = with_shares;
	rows_last = (uint32_t)count;
	memset(&file_header, 0, sizeof(file_header));
	lease_look_anew();
	flight_forked();
	for (int i = 0; i < count; i++)
		begin_process(i);
}

/* Of the device's time, in %. */
static double part(int number, uint64_t duration)
{
	return 100. * (double)processes[number].had / (double)duration;
}

/* The whole of what all had, in %. */
static double total(void)
{
	double sum = 0;

	begin(count, shares, 10000 * MS);
	run_until(end);
	for (int i = 0; i < count; i++)
		sum += part(i, 10000 * MS);
	return sum;
}

/*
 * points: by how many the parts may be apart from the weights; used: at least so many % of what can be, if all submit
 * as they like and who has less than its part wants no more. A holder that launches has the device, even where the
 * device waits for its launches.
 */
static const struct program {
	const char *name;
	uint64_t kernel, cost, gap;
	int every, points, used;
	uint64_t cold;
	enum waiting waiting;
} programs[] = {
	{ "GEMMs of 0.2 ms", 200 * US, 5 * US, 0, 200, 1, 98, 0, BY_CALL },
	{ "kernels of 5 ms", 5 * MS, 5 * US, 0, 8, 1, 98, 0, BY_CALL },
	{ "kernels of 5 us", 5 * US, 4 * US, 0, 1000, 1, 98, 0, BY_CALL },
	{ "empty kernels", 3 * US, 2 * US, 0, 1000, 1, 98, 0, BY_CALL },
	{ "graphs of 1 ms", MS, 10 * US, 0, 16, 1, 98, 0, BY_CALL },
	{ "synchronised launches", 400 * US, 5 * US, 10 * US, 1, 1, 93, 0, BY_CALL },
	{ "a small training step", 30 * US, 20 * US, 300 * US, 60, 1, 91, 0, BY_CALL },
	{ "a step that reads its loss", 50 * US, 10 * US, 1000 * US, 40, 1, 87, 0, BY_CALL },
	/* As t/gpu/share.cu has them on an H100. */
	{ "its step", 66 * US, 3 * US, 300 * US, 60, 1, 94, 0, BY_CALL },
	{ "its step with a loss", 109 * US, 3 * US, 1000 * US, 40, 1, 94, 0, BY_CALL },
	/* As PyTorch's are. */
	{ "a step bound by its launches", 8 * US, 17 * US, 80 * US, 60, 1, 84, 0, BY_CALL },
	{ "empty kernels, bound by them", 2300, 2700, 0, 2000, 1, 86, 0, BY_CALL },
	{ "a step whose end a callback tells", 65 * US, 5 * US, 15 * US, 5, 2, 76, 200 * US, UNSEEN },
	/* As JAX has it. */
	{ "a graph, and an event behind it", 275 * US, 5 * US, 30 * US, 1, 2, 79, 200 * US, MARKED },
	{ "a graph of half the time, and an event behind it", 145 * US, 5 * US, 150 * US, 1, 2, 57, 200 * US, MARKED },
	{ "GEMMs with an event behind each", 200 * US, 5 * US, 0, 200, 1, 97, 0, MARKED_EACH },
	{ "a large training step", 1500 * US, 10 * US, 300 * US, 100, 1, 98, 0, BY_CALL },
	{ "a step that reads its data", 200 * US, 10 * US, 2000 * US, 40, 2, 87, 0, BY_CALL },
};

enum { PROGRAMS = sizeof(programs) / sizeof(programs[0]), GEMMS = 0, EMPTY = 3, GRAPHS, SMALL = 6, STEP = 8, LOSS, LAUNCHES, CALLBACK = 12, GRAPH, HALF, LARGE = 16 };

static void set(int number, const struct program *program, uint32_t weight)
{
	processes[number] = (struct process){
		.weight = weight, .kernel = program->kernel, .cost = program->cost,
		.gap = program->gap, .every = program->every, .cold = program->cold, .waiting = program->waiting,
	};
}

/* What a program uses of the device alone, in %. */
static double alone(const struct program *program)
{
	set(0, program, LEASE_WEIGHT);
	count = 1;
	shares = false;
	return total();
}

static void shares_of(const struct program *program, int number, const uint32_t *weights, bool turns)
{
	double all, can, worst = 0, sum = 0, apart, one = alone(program);
	const char *by = turns ? ", by turns" : "";
	char parts[128] = "", some[32];

	device.turns = turns;
	for (int i = 0; i < number; i++) {
		set(i, program, weights[i]);
		sum += weights[i];
	}
	count = number;
	can = total();
	/* One that has less than its part, since it wants no more, is not to make the others have less. */
	for (int i = 0; i < number; i++)
		can = can < one * sum / weights[i] ? can : one * sum / weights[i];
	shares = true;
	all = total();
	for (int i = 0; i < number; i++) {
		apart = part(i, 10000 * MS) * 100 / all - 100 * weights[i] / sum;
		worst = apart > worst ? apart : -apart > worst ? -apart : worst;
		snprintf(some, sizeof(some), " %.1f", part(i, 10000 * MS) * 100 / all);
		strcat(parts, some);
	}
	ok(worst <= program->points, "%s%s:%s %%, within %d points", program->name, by, parts, program->points);
	/* Threads that are slower after a wait do less. */
	ok(all * 100 >= program->used * can && (program->cold || all >= .95 * one), "%s%s: the device is used for %.1f %% of %.1f, %.1f alone",
	   program->name, by, all, can, one);
}

static void caps_of(const struct program *program, const char *how)
{
	double one = alone(program), capped;

	processes[0].cap = 30 * ACCOUNT_ALL / 100;
	shares = true;
	capped = total();
	ok(capped <= 31 && capped >= .3 * one - 1, "%s%s: time=30%% has %.1f %% of %.1f alone", program->name, how,
	   capped, one);
	processes[0].cap = 0;
}

/*
 * Steps of one kernel and a pause, whose end no driver call tells: a cap is of the time that the device works, and neither
 * of pauses, nor less.
 */
static void caps_of_steps(enum waiting waiting, uint64_t late, const char *how)
{
	static const uint64_t kernels[] = { 60, 145, 280, 900, 3000 }, gaps[] = { 100, 210, 1000 };
	double most = 0, least_of_all = 30;

	processes[0].cap = 0;
	for (size_t i = 0; i < sizeof(kernels) / sizeof(kernels[0]); i++) {
		for (size_t j = 0; j < sizeof(gaps) / sizeof(gaps[0]); j++) {
			struct program program = { "", kernels[i] * US, 5 * US, gaps[j] * US, 1, 1, 0, 0, waiting };
			double one = alone(&program), capped;

			processes[0].cap = 30 * ACCOUNT_ALL / 100;
			processes[0].late = late;
			shares = true;
			capped = total();
			processes[0].cap = 0;
			most = capped > most ? capped : most;
			if (one > 30 && capped < least_of_all)
				least_of_all = capped;
			if (one <= 30 && capped < .95 * one)
				least_of_all = 0;
		}
	}
	ok(most <= (late ? 32 : 31) && least_of_all >= 27, "kernels of 60 us to 3 ms, pauses of 0.1 to 1 ms, %s: time=30%% has %.1f to %.1f %%",
	   how, least_of_all, most);
}

/* A thread that waits for room is woken late, while its device goes on by what was submitted ahead. */
static void late_wakes(void)
{
	timer = 300 * US;
	caps_of(&programs[EMPTY], ", sleeps by 0.3 ms longer");
	timer = 60 * US;
}

/* Two programs with gaps, of which each is the other's guest: prices are of their own. */
static void unlike(int first, int second, uint32_t weight, bool turns)
{
	int points = programs[first].points > programs[second].points ? programs[first].points : programs[second].points;
	double all, part_of_first, apart;

	device.turns = turns;
	set(0, &programs[first], weight);
	set(1, &programs[second], 100 - weight);
	count = 2;
	shares = true;
	all = total();
	part_of_first = 100 * part(0, 10000 * MS) / all;
	apart = part_of_first - weight;
	ok(apart < points && apart > -points, "%s beside %s%s: %.1f %% of %u",
	   programs[first].name, programs[second].name, turns ? ", by turns" : "", part_of_first, weight);
	device.turns = false;
}

/* Both do their first steps, and who has done his waits for the other one; what follows is by weight. */
static void barrier(uint32_t weight)
{
	const uint64_t first = 940 * MS, duration = 5000 * MS;
	bool there[2] = { false, false };
	double part_of_first;
	uint64_t had[2];

	set(0, &programs[LARGE], weight);
	set(1, &programs[LARGE], 100 - weight);
	begin(2, true, 20000 * MS);
	while (!there[0] || !there[1]) {
		run_until(now + MS);
		for (int i = 0; i < 2; i++) {
			/* Between two of its steps. */
			if (there[i] || processes[i].had < first || processes[i].launched || processes[i].syncs)
				continue;
			there[i] = true;
			processes[i].host_at = NEVER;
		}
	}
	for (int i = 0; i < 2; i++) {
		processes[i].host_at = now;
		had[i] = processes[i].had;
	}
	run_until(now + duration);
	part_of_first = 100 * (double)(processes[0].had - had[0]) /
			(double)(processes[0].had - had[0] + processes[1].had - had[1]);
	ok(part_of_first > (double)weight - 2 && part_of_first < (double)weight + 2,
	   "%s, when both have done the first ones: %.1f %% of %u", programs[LARGE].name, part_of_first, weight);
}

/* As JAX, which tries kernels first. */
static void begins_otherwise(uint32_t weight, bool turns)
{
	const uint64_t before = 1000 * MS, duration = 2000 * MS;
	uint64_t had[2];
	double part_of_first;

	device.turns = turns;
	count = 2;
	for (int i = 0; i < count; i++) {
		set(i, &programs[GRAPH], i ? 100 - weight : weight);
		processes[i].first = 1000;
	}
	begin(count, true, 20000 * MS);
	run_until(now + before);
	for (int i = 0; i < count; i++)
		had[i] = processes[i].had;
	run_until(now + duration);
	part_of_first = 100 * (double)(processes[0].had - had[0]) /
			(double)(processes[0].had - had[0] + processes[1].had - had[1]);
	ok(part_of_first > (double)weight - 2 && part_of_first < (double)weight + 2, "%s, behind other kernels%s: %.1f %% of %u",
	   programs[GRAPH].name, turns ? ", by turns" : "", part_of_first, weight);
	device.turns = false;
}

/* Beside one without a limit, which wants all that is left: no more than its part. */
static void cap_beside(const struct program *program)
{
	double one = alone(program), capped, all;

	set(0, program, LEASE_WEIGHT);
	set(1, program, 50);
	processes[0].cap = 30 * ACCOUNT_ALL / 100;
	count = 2;
	shares = true;
	all = total();
	capped = part(0, 10000 * MS);
	ok(capped <= 31 && capped >= .3 * one - 1, "%s, time=30%% beside share=50: %.1f %% of %.1f alone, %.1f together",
	   program->name, capped, one, all);
}

static int compare(const void *a, const void *b)
{
	const uint64_t *one = a, *other = b;

	return (*one > *other) - (*one < *other);
}

/* Launches, and waits for nothing, while another one waits. */
static bool may_go_idle(void)
{
	return leases[0].open && !processes[0].waits && !processes[0].syncs && processes[1].waits;
}

/* A holder wants nothing more from a random moment on: how long the one who waits has to, once the device has nothing to do. */
static void idles(const struct program *program, uint64_t seed)
{
	enum { TIMES = 200 };
	uint64_t waits[TIMES], done;

	chance_begin(seed, program->kernel);
	set(0, program, 90);
	set(1, program, 10);
	begin(2, true, NEVER / 2);
	for (int i = 0; i < TIMES; i++) {
		uint64_t launches;

		run_until(now + 20 * MS + chance(50000) * US);
		while (!may_go_idle())
			run_until(now + 10 * US);
		processes[0].host_at = NEVER;
		launches = processes[1].launches;
		while (processes[0].finished != processes[0].submitted && processes[1].launches == launches)
			run_until(now + US);
		done = now;
		while (processes[1].launches == launches && now < done + 1000 * MS)
			run_until(now + US);
		waits[i] = now - done;
		run_until(now + chance(50) * MS);
		processes[0].host_at = now;
	}
	qsort(waits, TIMES, sizeof(waits[0]), compare);
	ok(waits[TIMES - 1] < 50 * MS && waits[TIMES / 2] < 2 * MS,
	   "%s: %d times a holder goes idle, and who waits has the device after %.2f ms, %.2f at most",
	   program->name, TIMES, (double)waits[TIMES / 2] / 1e6, (double)waits[TIMES - 1] / 1e6);
}

/* By Jain's index: 1 if all have the same. */
static void fairness(void)
{
	double sum = 0, squares = 0;

	for (int i = 0; i < 5; i++)
		set(i, &programs[i], LEASE_WEIGHT);
	count = 5;
	shares = true;
	total();
	for (int i = 0; i < 5; i++) {
		sum += part(i, 10000 * MS);
		squares += part(i, 10000 * MS) * part(i, 10000 * MS);
	}
	ok(sum * sum / (5 * squares) >= 0.99, "unequal kernels of equal weights: Jain's index is %.4f",
	   sum * sum / (5 * squares));
}

/* Of kernels that nobody can interrupt, and which take longer than a slice, what was too much is paid back later. */
static void pays_back(uint64_t kernel, int every, const struct program *beside)
{
	const uint64_t duration = 60000 * MS;
	double both, its;

	processes[0] = (struct process){ .weight = 50, .kernel = kernel, .cost = 5 * US, .every = every };
	set(1, beside, 50);
	begin(2, true, duration);
	run_until(end);
	both = part(0, duration) + part(1, duration);
	its = part(0, duration) * 100 / both;
	ok(its > 48 && its < 52 && both >= beside->used, "kernels of %d ms, waited for behind %d, beside %s: %.1f of %.1f %%",
	   (int)(kernel / MS), every, beside->name, its, both);
}

/* Whether two of them have the device at once: one that waits for it by what is no driver call is not to seem idle. */
static void at_once(const struct program *program, bool are)
{
	int light = 0;

	for (int i = 0; i < 2; i++)
		set(i, program, LEASE_WEIGHT);
	count = 2;
	shares = true;
	begin(count, shares, 10000 * MS);
	for (int i = 0; i < 1000; i++) {
		run_until(now + 5 * MS);
		light += lease_is_light(&leases[0]);
	}
	ok(are ? light > 500 : !light, "%s: at %d of 1000 moments two may have the device at once", program->name, light);
}

/* The helper of one of two is late, as on a machine with too few processors: neither has more by that. */
static void late_helper(const struct program *program, uint64_t most, uint64_t seed)
{
	double one, other;

	chance_begin(seed, most);
	set(0, program, LEASE_WEIGHT);
	set(1, program, LEASE_WEIGHT);
	processes[0].late = most;
	count = 2;
	shares = true;
	total();
	one = part(0, 10000 * MS);
	other = part(1, 10000 * MS);
	ok(one > other * .9 && one < other * 1.1, "%s, one helper late by %.1f ms at most: %.1f and %.1f %%", program->name,
	   (double)most / 1e6, one, other);
}

/* What the dead had on its way is not done. */
static void kill_one(int number)
{
	struct process *process = &processes[number];

	process->dead = true;
	process->finished = process->submitted;
	if (device.runs == process && device.until != NEVER) {
		process->left = MS / 10;
		device.from = now;
		device.until = now + process->left;
	}
}

static void stop_one(int number)
{
	processes[number].stopped = true;
	run_until(now + MS + chance(300) * MS);
	processes[number].stopped = false;
	processes[number].host_at = processes[number].look_at = now;
}

/* Behind the moment that a look took the time. What it is charged is not the stop. */
static void stopped_in_look(void)
{
	const uint64_t *charged = &own_rows[1].parts[0].charged;
	uint64_t before;

	set(0, &programs[GEMMS], 100);
	processes[0].cap = ACCOUNT_ALL / 2;
	begin(1, true, NEVER / 2);
	run_until(now + 500 * MS);
	before = *charged;
	stop = 4000 * MS;
	run_until(now + 4500 * MS);
	ok(!stop && *charged - before < 400 * MS, "stopped for 4 s while its helper looks: %.1f ms are charged",
	   (double)(*charged - before) / 1e6);
	processes[0].cap = 0;
}

/* One of three ends, or is stopped, at any moment, and another one begins: for how long the others have nothing. */
static void ends(const char *what, bool kills, int times, uint64_t seed)
{
	uint64_t longest = 0;

	chance_begin(seed, (uint64_t)kills);
	set(0, &programs[0], 100);
	set(1, &programs[4], 100);
	set(2, &programs[5], 100);
	begin(3, true, NEVER / 2);
	for (int i = 0; i < times; i++) {
		run_until(now + 50 * MS + chance(100000) * US);
		if (!kills) {
			stop_one(2);
			continue;
		}
		kill_one(2);
		run_until(now + 50 * MS + chance(100000) * US);
		begin_process(2);
	}
	run_until(now + 200 * MS);
	for (int i = 0; i < 3 - kills; i++) {
		uint64_t without = now - processes[i].last;

		longest = longest > without ? longest : without;
		if (i < 2 && processes[i].longest > longest)
			longest = processes[i].longest;
	}
	ok(longest <= 100 * MS, "%d %s: the others wait for %.1f ms at most", times, what, (double)longest / 1e6);
}

int main(int argc, char **argv)
{
	static const uint32_t weights[][3] = { { 70, 30, 0 }, { 90, 10, 0 }, { 10, 30, 60 } };
	uint64_t seed = argc > 1 ? strtoull(argv[1], NULL, 0) : 22;

	for (int i = 0; i < PROGRAMS; i++) {
		for (int j = 0; j < (programs[i].gap ? 6 : 3); j++)
			shares_of(&programs[i], weights[j % 3][2] ? 3 : 2, weights[j % 3], j >= 3);
		device.turns = false;
		caps_of(&programs[i], "");
	}
	/* As a GPU does, by what two of JAX's took there. */
	for (turning = 95 * US; turning <= 185 * US; turning += 45 * US)
		for (int j = 0; j < 3; j++)
			shares_of(&programs[HALF], weights[j][2] ? 3 : 2, weights[j], true);
	turning = 5 * US;
	device.turns = false;
	late_wakes();
	caps_of_steps(UNSEEN, 0, "whose end nothing tells");
	caps_of_steps(MARKED, 0, "with an event behind them");
	caps_of_steps(MARKED, 5 * MS, "where looks are late");
	for (uint32_t i = 0; i < 6; i++) {
		unlike(STEP, SMALL, 50 + i % 3 * 20, i >= 3);
		unlike(LOSS, STEP, 50 + i % 3 * 20, i >= 3);
	}
	unlike(HALF, GEMMS, 50, false);
	for (uint64_t most = MS; most <= 25 * MS; most *= 5) {
		late_helper(&programs[0], most, seed);
		late_helper(&programs[LAUNCHES], most, seed);
	}
	at_once(&programs[LAUNCHES], true);
	at_once(&programs[CALLBACK], false);
	at_once(&programs[GRAPH], false);
	at_once(&programs[HALF], false);
	at_once(&programs[LARGE], false);
	for (uint32_t i = 0; i < 4; i++)
		begins_otherwise(i % 2 ? 90 : 70, i >= 2);
	barrier(90);
	barrier(70);
	for (int i = 0; i < PROGRAMS; i++)
		cap_beside(&programs[i]);
	idles(&programs[GEMMS], seed);
	idles(&programs[GRAPHS], seed);
	idles(&programs[SMALL], seed);
	idles(&programs[LARGE], seed);
	for (uint64_t kernel = 10 * MS; kernel <= 160 * MS; kernel *= 2)
		for (int i = 0; i < 4; i++)
			pays_back(kernel, i % 2 ? 1 : 8, &programs[i / 2 ? SMALL : GEMMS]);
	fairness();
	stopped_in_look();
	ends("kills", true, 100, seed);
	ends("stops", false, 20, seed);
	ok(!clocks_back, "the clock of tags never goes back");
	return done_testing();
}
