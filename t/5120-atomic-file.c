/* SPDX-License-Identifier: Apache-2.0 */
/* Outputs that are there as a whole or not at all. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "t/tool/unit.h"
#include "tools/atomic_file.h"

/* The names in the directory, sorted. */
static const char *names(const char *directory)
{
	static char text[1024];
	struct dirent **entries;
	int count = scandir(directory, &entries, NULL, alphasort);

	text[0] = '\0';
	for (int i = 0; i < count; i++) {
		if (strcmp(entries[i]->d_name, ".") && strcmp(entries[i]->d_name, "..")) {
			strncat(text, entries[i]->d_name, sizeof(text) - strlen(text) - 2);
			strcat(text, " ");
		}
		free(entries[i]);
	}
	if (count >= 0)
		free(entries);
	return text;
}

static const char *contents(const char *name)
{
	static char text[64];
	FILE *file = fopen(name, "r");

	text[0] = '\0';
	if (file && !fgets(text, sizeof(text), file))
		text[0] = '\0';
	if (file)
		fclose(file);
	return text;
}

/* Writes "new", then gives it its name or ends as the scenario says, in a process of its own. */
struct scenario {
	const char *target;
	enum atomic_file_kind kind;
	int how;		/* END, DROP, EXIT or a signal */
};

enum { END = -1, DROP = -2, EXIT = -3 };

static void make_files(const char *directory)
{
	for (int i = 0; i < 200; i++) {
		char name[4200];
		int fd;

		snprintf(name, sizeof(name), "%s/%d", directory, i);
		fd = open(name, O_WRONLY | O_CREAT, 0666);
		if (fd < 0)
			_exit(50);
		close(fd);
	}
}

/* Files, and directories of files, as CTF has them; and a link, behind which nothing is removed. */
static void write_new(const struct atomic_file *file)
{
	int fd = file->fd;

	if (fd < 0) {
		make_files(file->path);
		for (int i = 0; i < 3; i++) {
			char name[4200];

			snprintf(name, sizeof(name), "%s/python-%d", file->path, i);
			if (mkdir(name, 0777))
				_exit(54);
			make_files(name);
			strcat(name, "/link");
			if (symlink("/", name))
				_exit(55);
		}
	} else if (write(fd, "new", 3) != 3) {
		_exit(51);
	}
}

static int child(const struct scenario *scenario)
{
	struct atomic_file file;

	if (atomic_file_begin(&file, scenario->target, scenario->kind))
		return 10 + TOOL_FAILED;
	write_new(&file);
	/* A child of the tool's own must not take it away. */
	if (!fork())
		exit(0);
	wait(NULL);
	if (file.path && access(file.path, F_OK))
		return 52;
	if (scenario->how > 0) {
		raise(scenario->how);
		return 53;
	}
	if (scenario->how == DROP)
		atomic_file_drop(&file);
	if (scenario->how != END)
		exit(0);
	return atomic_file_end(&file);
}

/* Its exit status, 128 and the signal that ended it. */
static int run(const char *target, enum atomic_file_kind kind, int how)
{
	const struct scenario scenario = { target, kind, how };
	const struct rlimit none = { 0, 0 };
	int status, pid = fork();

	if (!pid) {
		setrlimit(RLIMIT_CORE, &none);
		exit(child(&scenario));
	}
	waitpid(pid, &status, 0);
	return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

static void test_files(void)
{
	is_int(run("a", ATOMIC_FILE, END), TOOL_OK, "a new file");
	is_str(contents("a"), "new", "... has what was written");
	is_str(names("."), "a ", "... and is alone");
	directory_file("a", "old");
	chmod("a", 0640);
	is_int(run("a", ATOMIC_FILE, DROP), 0, "dropped");
	is_str(contents("a"), "old", "... the old one stays");
	is_int(run("a", ATOMIC_FILE, EXIT), 0, "exit");
	is_str(contents("a"), "old", "... the old one stays");
	is_str(names("."), "a ", "... alone");
	if (symlink("a", "link"))
		bail_out("no link");
	is_int(run("link", ATOMIC_FILE, END), TOOL_OK, "behind a link");
	is_str(contents("a"), "new", "... the file is new");
	ok(readlink("link", (char[8]){ "" }, 8) == 1, "... the link is there");
	unlink("link");
}

static void test_signals(void)
{
	static const int signals[] = { SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGPIPE, SIGALRM,
				       SIGSEGV, SIGBUS, SIGABRT, SIGUSR1, SIGXCPU };
	static const char *const targets[] = { "a", "b" };

	directory_file("a", "old");
	/* A shell ignores some in what it starts in the background. */
	for (size_t i = 0; i < sizeof(signals) / sizeof(signals[0]); i++)
		signal(signals[i], SIG_DFL);
	for (size_t i = 0; i < 2 * sizeof(signals) / sizeof(signals[0]); i++) {
		int number = signals[i / 2];
		enum atomic_file_kind kind = i % 2 ? ATOMIC_DIRECTORY : ATOMIC_FILE;

		is_int(run(targets[i % 2], kind, number), 128 + number, "signal %d ends it", number);
		is_str(names("."), "a ", "... nothing is left");
		is_str(contents("a"), "old", "... the old one stays");
	}
	signal(SIGHUP, SIG_IGN);
	is_int(run("a", ATOMIC_FILE, SIGHUP), 53, "a signal that is ignored stays so");
	signal(SIGHUP, SIG_DFL);
	is_str(names("."), "a ", "... nothing is left");
}

static void test_directories(void)
{
	is_int(run("b/", ATOMIC_DIRECTORY, END), TOOL_OK, "a new directory");
	ok(!access("b/199", F_OK), "... has what was written");
	is_str(names("."), "a b ", "... alone");
	is_int(run("b", ATOMIC_DIRECTORY, END), 12, "a directory with something in it is refused");
	ok(!access("b/199", F_OK), "... and stays");
	is_int(run("c", ATOMIC_DIRECTORY, DROP), 0, "dropped");
	is_str(names("."), "a b ", "... nothing is left");
	is_int(run("c", ATOMIC_DIRECTORY, EXIT), 0, "exit");
	is_str(names("."), "a b ", "... nothing is left");
	if (mkdir("c", 0777))
		bail_out("no directory");
	is_int(run("c", ATOMIC_DIRECTORY, END), TOOL_OK, "in place of an empty directory");
	is_str(names("."), "a b c ", "... alone");
	ok(!access("c/199", F_OK), "... has what was written");
}

static void refused(const char *target, enum atomic_file_kind kind, const char *want)
{
	struct atomic_file file;

	said[0] = '\0';
	is_int(atomic_file_begin(&file, target, kind), TOOL_FAILED, "\"%s\" is refused", target);
	is_str(said, want, "... in one line");
	is_str(names("."), "a b c ", "... and nothing is left");
}

static void test_refused(void)
{
	char path[6000], want[6100];

	refused("nowhere/x", ATOMIC_FILE, "nowhere/x: No such file or directory\n");
	refused("nowhere/x", ATOMIC_DIRECTORY, "nowhere/x: No such file or directory\n");
	refused("b", ATOMIC_FILE, "b: it names a directory; choose the path of a file\n");
	refused("nowhere/", ATOMIC_FILE, "nowhere/: it names a directory; choose the path of a file\n");
	refused(".", ATOMIC_FILE, ".: it names a directory; choose the path of a file\n");
	refused("b/..", ATOMIC_FILE, "b/..: it names a directory; choose the path of a file\n");
	refused("a", ATOMIC_DIRECTORY, "a: Not a directory\n");
	refused("a/x", ATOMIC_FILE, "a/x: Not a directory\n");
	refused("", ATOMIC_FILE, ": No such file or directory\n");
	refused("-", ATOMIC_DIRECTORY, "-: Not a directory\n");
	refused("b", ATOMIC_DIRECTORY, "b: Directory not empty\n");
	memset(path, 'x', sizeof(path) - 1);
	path[sizeof(path) - 1] = '\0';
	snprintf(want, sizeof(want), "%s: File name too long\n", path);
	refused(path, ATOMIC_FILE, want);
}

static void test_pipes(void)
{
	struct stat status;
	struct atomic_file file;
	int reader;

	if (mkfifo("pipe", 0666) || (reader = open("pipe", O_RDWR)) < 0)
		bail_out("no pipe");
	is_int(run("pipe", ATOMIC_FILE, SIGTERM), 128 + SIGTERM, "a pipe");
	ok(!stat("pipe", &status) && S_ISFIFO(status.st_mode), "... is not removed");
	is_int(run("pipe", ATOMIC_FILE, END), TOOL_OK, "a pipe is written to");
	ok(!stat("pipe", &status) && S_ISFIFO(status.st_mode), "... and not replaced");
	is_str(names("."), "a b c pipe ", "... nothing is beside it");
	is_int(run("pipe", ATOMIC_DIRECTORY, END), 12, "it is no directory");
	close(reader);
	unlink("pipe");
	is_int(atomic_file_begin(&file, "-", ATOMIC_FILE), TOOL_OK, "standard output");
	ok(file.fd == STDOUT_FILENO && !file.path, "... is what it is");
	is_int(atomic_file_end(&file), TOOL_OK, "... ends");
	is_int(atomic_file_begin(&file, NULL, ATOMIC_FILE), TOOL_OK, "no target");
	atomic_file_drop(&file);
	ok(fcntl(STDOUT_FILENO, F_GETFD) >= 0, "... stays open");
}

/* The name is taken away from it, and the directory with it. */
static void test_lost(void)
{
	struct atomic_file file;

	if (mkdir("d", 0777) || atomic_file_begin(&file, "d/x", ATOMIC_FILE))
		bail_out("cannot begin");
	said[0] = '\0';
	if (remove(file.path) || rmdir("d"))
		bail_out("cannot remove");
	is_int(atomic_file_end(&file), TOOL_FAILED, "the temporary file was removed");
	is_str(said, "d/x: No such file or directory\n", "... one line");
}

static void test_mode(void)
{
	struct stat status;

	umask(027);
	unlink("a");
	run("a", ATOMIC_FILE, END);
	ok(!stat("a", &status) && (status.st_mode & 0777) == 0640, "the umask is respected");
	umask(022);
	chmod("a", 0600);
	run("a", ATOMIC_FILE, END);
	ok(!stat("a", &status) && (status.st_mode & 0777) == 0600, "the mode of a file that was there");
}

int main(void)
{
	directory_enter();
	test_files();
	test_signals();
	test_directories();
	test_refused();
	test_pipes();
	test_lost();
	test_mode();
	directory_leave();
	return done_testing();
}
