# What .ci/run and the scripts named check share. A check goes to its own folder, with
# set -euo pipefail, and sources this file.

# fetch NAME COMMAND... runs a command that gets something from a registry, at most three
# times. What cannot be had fails by its name, so that nobody looks for the fault in svc.
fetch() {
	local name=$1 attempt
	shift
	for attempt in 1 2 3; do
		"$@" && return
		echo "attempt $attempt to fetch $name has failed"
		sleep $((attempt * 5))
	done
	echo "FAILED: $name cannot be fetched"
	exit 1
}

# debian PACKAGE... installs packages of Debian. One whose command has another name is written
# command=package, and one without a command file=package. What is there is left alone.
debian() {
	local each missing=()
	PATH=$PATH:/usr/sbin # where nginx is
	for each; do
		[[ -e ${each%%=*} ]] || command -v "${each%%=*}" >/dev/null || missing+=("${each#*=}")
	done
	((${#missing[@]})) || return 0
	fetch 'the list of packages of Debian' apt-get update -qq
	fetch "${missing[*]} of Debian" debian_install "${missing[@]}"
}

debian_install() {
	DEBIAN_FRONTEND=noninteractive apt-get install -qq -y --no-install-recommends "$@" >/dev/null
}

# npm_packages installs what package-lock.json has. With the argument scripts, packages run
# their scripts: the package node needs that.
npm_packages() {
	local quiet=(--no-audit --no-fund --loglevel=error)
	[[ ${1-} == scripts ]] || quiet+=(--ignore-scripts)
	cmp -s package-lock.json node_modules/.installed && return
	fetch "npm packages of $PWD" npm ci "${quiet[@]}"
	cp package-lock.json node_modules/.installed
}

# python_packages FILE FOLDER installs the requirements of a file into an environment.
python_packages() {
	cmp -s "$1" "$2/installed" && return
	rm -rf "$2"
	python3 -m venv "$2"
	fetch "Python packages of $PWD/$1" "$2/bin/pip" install --quiet --disable-pip-version-check -r "$1"
	cp "$1" "$2/installed"
}

# modules downloads the Go modules of this folder.
modules() {
	fetch "Go modules of $PWD" go mod download
}

# start LOG COMMAND... runs a server until the script ends, and sets url to the address that
# it prints: http://localhost:1 alone or in a line. The log has all its output.
pids=()
start() {
	local log=$1 deadline=$((SECONDS + 60))
	shift
	: >"$log"
	"$@" >"$log" 2>&1 &
	pids+=($!)
	while ((SECONDS < deadline)) && kill -0 $! 2>/dev/null; do
		url=$(grep -o -m 1 'http://[][a-z0-9.:]*:[0-9][0-9]*' "$log" || true)
		[[ -z $url ]] || return 0
		sleep 0.1
	done
	cat "$log"
	echo "FAILED: $* has not started within 60 s"
	exit 1
}

# finish ends the servers and removes the folder tmp, if the script has made one: that of
# .ci/run, which the environment has, is not the script's.
tmp=''
finish() {
	((${#pids[@]} == 0)) || kill "${pids[@]}" 2>/dev/null || true
	wait
	[[ -z ${tmp-} ]] || rm -rf "$tmp"
}
trap finish EXIT
