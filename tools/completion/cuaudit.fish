# SPDX-License-Identifier: Apache-2.0
# Completion of cuaudit(1) for fish: the command itself knows.
function __cuaudit_complete
	set -l words (commandline -opc) (commandline -ct)
	for line in ($words[1] --complete $words[2..-1] 2>/dev/null)
		switch $line
			case :files
				__fish_complete_path (commandline -ct)
			case ':program *'
				set -l from (math (string replace ':program ' '' -- $line) + 2)
				complete -C (string join -- ' ' (string escape -- $words[$from..-2]) $words[-1])
			case '*'
				echo $line
		end
	end
end
complete -c cuaudit -f -a '(__cuaudit_complete)'
