/* SPDX-License-Identifier: Apache-2.0 */
/* The schema of cuaudit-sqlite(5). */
#include "convert/sqlite_schema.h"

const char sqlite_tables[] =
	"CREATE TABLE process (id INTEGER PRIMARY KEY, file TEXT NOT NULL, pid INT NOT NULL,"
	" parent INT NOT NULL, host TEXT NOT NULL, rank INT, program TEXT NOT NULL,"
	" command TEXT NOT NULL, start INT NOT NULL, \"end\" INT, finished INT NOT NULL);"
	"CREATE TABLE driver (process INT NOT NULL REFERENCES process, number INT NOT NULL,"
	" version INT, path TEXT NOT NULL, PRIMARY KEY (process, number)) WITHOUT ROWID;"
	"CREATE TABLE thread (id INTEGER PRIMARY KEY, process INT NOT NULL REFERENCES process,"
	" number INT NOT NULL, tid INT, name TEXT NOT NULL, start INT, \"end\" INT,"
	" calls INT NOT NULL, duration INT NOT NULL);"
	"CREATE TABLE library (id INTEGER PRIMARY KEY, process INT NOT NULL REFERENCES process,"
	" name TEXT NOT NULL, path TEXT NOT NULL, base INT NOT NULL, build_id TEXT);"
	"CREATE TABLE function (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE,"
	" base TEXT NOT NULL);"
	"CREATE TABLE site (id INTEGER PRIMARY KEY, function INT NOT NULL REFERENCES function,"
	" library INT NOT NULL REFERENCES library, address INT NOT NULL, caller TEXT NOT NULL,"
	" calls INT NOT NULL, errors INT NOT NULL, not_ready INT NOT NULL,"
	" duration INT NOT NULL, shortest INT, longest INT);"
	"CREATE TABLE kernel (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE);"
	"CREATE TABLE result (value INTEGER PRIMARY KEY, name TEXT NOT NULL);"
	/* No NOT NULL: looking for it takes a tenth of the time. */
	"CREATE TABLE call (id INTEGER PRIMARY KEY, thread INT REFERENCES thread,"
	" site INT REFERENCES site, start INT, duration INT, correlation INT,"
	" result INT REFERENCES result, depth INT, skipped INT, kernel INT REFERENCES kernel,"
	" stack INT REFERENCES stack, arguments INT);"
	"CREATE TABLE argument (list INT NOT NULL, position INT NOT NULL, name TEXT NOT NULL,"
	" value TEXT NOT NULL, number INT, PRIMARY KEY (list, position)) WITHOUT ROWID;"
	"CREATE TABLE stack (id INTEGER PRIMARY KEY, process INT NOT NULL REFERENCES process);"
	"CREATE TABLE frame (stack INT NOT NULL REFERENCES stack, position INT NOT NULL,"
	" address INT NOT NULL, caller TEXT NOT NULL, library INT REFERENCES library,"
	" PRIMARY KEY (stack, position)) WITHOUT ROWID;"
	"CREATE TABLE unfinished (thread INT NOT NULL REFERENCES thread,"
	" site INT NOT NULL REFERENCES site, start INT NOT NULL, duration INT NOT NULL,"
	" depth INT NOT NULL);"
	"CREATE TABLE mark (process INT NOT NULL REFERENCES process,"
	" thread INT REFERENCES thread, time INT NOT NULL, text TEXT NOT NULL);"
	"CREATE TABLE loss (process INT NOT NULL REFERENCES process, reason TEXT NOT NULL,"
	" count INT NOT NULL);";

const char sqlite_insert_calls[] =
	"INSERT INTO call (thread, site, start, duration, correlation, result, depth, skipped,"
	" kernel, stack, arguments) SELECT * FROM cuaudit_calls";

const char sqlite_insert_arguments[] = "INSERT INTO argument SELECT * FROM cuaudit_arguments";

const char sqlite_kernel_index[] =
	"CREATE INDEX call_kernel ON call (kernel) WHERE kernel IS NOT NULL";

const char sqlite_views[] =
	"CREATE INDEX call_thread_start ON call (thread, start);"
	"CREATE INDEX call_site ON call (site);"
	"CREATE INDEX call_error ON call (result) WHERE result <> 0;"
	"CREATE INDEX site_function ON site (function);"
	"CREATE INDEX site_library ON site (library);"
	"CREATE INDEX thread_process ON thread (process, number);"
	"CREATE VIEW calls AS SELECT call.id, process.pid, process.rank,"
	" thread.number AS thread, thread.tid, thread.name AS thread_name, call.start,"
	" call.duration, call.correlation, call.depth, function.name AS function,"
	" library.name AS library, site.caller,"
	" coalesce((SELECT name FROM result WHERE value = call.result), call.result) AS result,"
	" (SELECT name FROM kernel WHERE id = call.kernel) AS kernel, call.stack"
	" FROM call JOIN thread ON thread.id = call.thread"
	" JOIN process ON process.id = thread.process JOIN site ON site.id = call.site"
	" JOIN function ON function.id = site.function JOIN library ON library.id = site.library;"
	"CREATE VIEW arguments AS SELECT call.id AS call, argument.position, argument.name,"
	" argument.value, argument.number"
	" FROM call JOIN argument ON argument.list = call.arguments;"
	"CREATE VIEW launches AS SELECT kernel.name AS kernel, call.id, thread.process,"
	" thread.number AS thread, call.start, call.duration, call.correlation, call.result"
	" FROM call JOIN kernel ON kernel.id = call.kernel JOIN thread ON thread.id = call.thread;"
	"CREATE VIEW by_function AS SELECT function.name AS function, sum(calls) AS calls,"
	" sum(errors) AS errors, sum(not_ready) AS not_ready, sum(duration) AS duration,"
	" sum(duration) / sum(calls) AS average, min(shortest) AS shortest,"
	" max(longest) AS longest FROM site JOIN function ON function.id = site.function"
	" WHERE calls GROUP BY function.id;"
	"CREATE VIEW by_library AS SELECT library.name AS library, sum(calls) AS calls,"
	" sum(errors) AS errors, sum(not_ready) AS not_ready, sum(duration) AS duration"
	" FROM site JOIN library ON library.id = site.library WHERE calls GROUP BY library.path;"
	"CREATE VIEW by_process AS SELECT process.id AS process, process.pid, process.host,"
	" process.rank, sum(thread.calls) AS calls, sum(thread.duration) AS duration"
	" FROM thread JOIN process ON process.id = thread.process GROUP BY process.id;"
	"CREATE VIEW by_kernel AS SELECT kernel.name AS kernel, count(*) AS launches,"
	" sum(call.duration) AS duration FROM call JOIN kernel ON kernel.id = call.kernel"
	" GROUP BY kernel.id;"
	"PRAGMA analysis_limit = 1000; ANALYZE;";
