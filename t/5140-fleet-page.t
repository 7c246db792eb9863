# SPDX-License-Identifier: Apache-2.0
# cuaudit-fleet(7): each of its examples does what the page says, as far as one machine can tell.
. "${top_srcdir:-$(dirname "$0")/..}/t/tool/lib.sh"

page=$top_srcdir/man/cuaudit-fleet.7
helper stat/steady app
directory=$tmp/fleet
cd "$tmp" || exit 99
PATH=$top_builddir/bin:$PATH
CUAUDIT_DRIVER=sim
export PATH CUAUDIT_DRIVER

# example NAME: its text, with this test's directory and auditor in place of the page's.
example() {
	awk -v name="$1" '
		$0 == ".\\\" example: " name { wanted = 1 }
		/^\.Ed/ { wanted = on = 0 }
		on
		wanted && /^\.Bd/ { on = 1 }' "$page" |
		sed "s|\\\\e\$|\\\\|; s|/var/lib/cuaudit|$directory|g; s|/metrics|$directory|g
			s|/opt/cuaudit/lib/libcuaudit.so|$LIBCUAUDIT|g"
}

is "$(sed -n 's/^\.\\" example: //p' "$page" | xargs)" \
	"directory exporter cron srun taskprolog epilog pod daemonset sidecar rules" "the examples"
is "$(grep -c '^\.Bd' "$page")" 10 "there are no others"

ok "the directory is made" sh -c "$(example directory)"
is "$(stat -c %a "$directory")" 1777 "... for all users"

# well_formed FILE
well_formed() {
	awk -v format=prometheus -f "$top_srcdir/t/stat/metrics.awk" "$1"
}

# whole JOB RANKS: the files of a job are that many, whole, and of a rank and a process each.
whole() {
	is "$(find "$directory" -name "$1*.prom" | wc -l) $(find "$directory" -type f | wc -l)" "$2 $2" \
		"$1: a file for each of $2"
	for whole_file in "$directory/$1"*.prom; do
		ok "$1: whole" well_formed "$whole_file"
		like "$whole_file" "-$(sed -n 's/^cuaudit_process_info.*pid="\([0-9]*\)".*/\1/p' \
			"$whole_file").prom\$" "$1: named by its process"
	done
	is "$(sed -n 's/^cuaudit_process_info.*rank="\([0-9]*\)".*/\1/p' "$directory/$1"*.prom | sort |
		xargs)" "$(seq 0 $(($2 - 1)) | xargs)" "$1: of each rank"
	is "$(cat "$directory/$1"*.prom | grep -v '^#' | sed 's/} .*//' | sort | uniq -d)" "" \
		"$1: no series is in two of them"
	if command -v promtool >"$tmp/which"; then
		for whole_file in "$directory/$1"*.prom; do
			ok "$1: promtool" sh -c 'promtool check metrics <"$1"' sh "$whole_file"
		done
	else
		skip "$2" "no promtool"
	fi
}

# srun(1), with all tasks on this host.
srun() {
	for srun_rank in 0 1 2; do
		echo 5 | SLURM_PROCID=$srun_rank "$@" >"$tmp/out" || return
	done
}
SLURM_JOB_ID=41
export SLURM_JOB_ID
ok "srun" eval "$(example srun)"
whole 41- 3
rm "$directory"/41-*

# What slurmd makes of a task prolog's lines: export NAME=VALUE, to the end of the line.
SLURM_JOB_ID=42
example taskprolog >"$tmp/taskprolog"
for rank in 0 1; do
	sh "$tmp/taskprolog" >"$tmp/lines"
	(
		while IFS= read -r line; do
			line=${line#export }
			export "${line%%=*}=${line#*=}"
		done <"$tmp/lines"
		SLURM_PROCID=$rank
		export SLURM_PROCID
		echo 5 | "$tmp/app" >"$tmp/out"
	)
done
is "$(grep -vc '^export [A-Z_]*=' "$tmp/lines")" 0 "the task prolog's lines are exports"
whole 42- 2

example epilog >"$tmp/epilog"
: >"$directory/421-0-host-1.prom"
: >"$directory/42-0-host-1.prom.77"
ok "the epilog" sh "$tmp/epilog"
is "$(ls "$directory")" 421-0-host-1.prom "... removes the files of its job"
ok "the epilog outside of a job" env -u SLURM_JOB_ID sh "$tmp/epilog"
is "$(ls "$directory")" 421-0-host-1.prom "... removes nothing"

old_and_new() {
	rm -f "$directory"/*
	: >"$directory/new.prom"
	touch -d '10 minutes ago' "$directory/old.prom" "$directory/old.prom.4711" "$directory/other"
}
old_and_new
is "$(example cron | cut -d ' ' -f 1-6)" "* * * * * root" "cron: when and who"
ok "cron" sh -c "$(example cron | cut -d ' ' -f 7-)"
is "$(ls "$directory" | xargs)" "new.prom other" "... removes old files"
old_and_new
ok "the cleaning container" sh -c "$(example daemonset | sed -n 's/^ *- while \(.*\); do .*/\1/p')"
is "$(ls "$directory" | xargs)" "new.prom other" "... removes old files"
rm "$directory"/*

# The environment of a container, in a pod that is called train.
for name in pod sidecar; do
	example $name | awk -F'"' '
		/^ *- name: / { sub(/^ *- name: /, ""); name = $0 }
		/^ *value: / { print name "=" $2 }' >"$tmp/environment"
	is "$(wc -l <"$tmp/environment")" 3 "$name: three variables"
	(
		while IFS= read -r line; do
			export "${line%%=*}=${line#*=}"
		done <"$tmp/environment"
		echo 5 | "$tmp/app" >"$tmp/out"
	)
	is "$(find "$directory" -type f -name "0-$(uname -n)-*.prom" | wc -l)" 1 "$name: its file"
	ok "$name: whole" well_formed "$directory"/*
	rm -f "$directory"/*
done

like "$(example exporter)" "^node_exporter --collector.textfile.directory=$directory\$" "the exporter"
cat >"$tmp/check.py" <<'END'
import sys, yaml
document = yaml.safe_load(open(sys.argv[1]))
pod = document["spec"]
if document["kind"] == "DaemonSet":
    assert pod["selector"]["matchLabels"] == pod["template"]["metadata"]["labels"]
    document = pod["template"]
    pod = document["spec"]
volumes = {v["name"] for v in pod["volumes"]}
for c in pod["containers"]:
    mounts = {m["mountPath"]: m for m in c["volumeMounts"]}
    assert {m["name"] for m in mounts.values()} <= volumes
    for e in c.get("env", []):
        if e["name"] == "CUAUDIT_OUTPUT":
            assert not mounts[e["value"].rsplit("/", 1)[0]].get("readOnly")
    directory = [a.split("=")[1] for a in c.get("args", []) if "textfile.directory" in a]
    assert all(mounts[d]["readOnly"] for d in directory)
    if directory:
        port = document["metadata"]["annotations"]["prometheus.io/port"]
        assert "--web.listen-address=:" + port in c["args"]
        assert c["ports"] == [{"containerPort": int(port)}]
END
if "$PYTHON3" -c 'import yaml' 2>"$tmp/none"; then
	for name in pod daemonset sidecar; do
		example $name >"$tmp/$name.yaml"
		ok "YAML: $name" "$PYTHON3" "$tmp/check.py" "$tmp/$name.yaml"
	done
	sed 's/readOnly: true/readOnly: false/' "$tmp/sidecar.yaml" >"$tmp/bad.yaml"
	fails "a volume the exporter could write to is found" "$PYTHON3" "$tmp/check.py" "$tmp/bad.yaml"
else
	skip 4 "no yaml"
fi
example rules >"$tmp/rules.yaml"
is "$(grep -o 'cuaudit_[a-z_]*' "$tmp/rules.yaml" | sort -u |
	sed 's/_bucket$//' | while read -r name; do
		grep -q "\"${name%_total}\"" "$top_srcdir/analysis/stat_metrics.c" || echo "$name"
	done)" "" "the rules name metrics that there are"
if command -v promtool >"$tmp/which"; then
	ok "promtool: the rules" promtool check rules "$tmp/rules.yaml"
else
	skip 1 "no promtool"
fi
done_testing
