#!/bin/sh
# Runs a command of the sender whitelist. The jar follows this script in the same file.
# The script finds a Java. It also keeps what Java prepares at each start in an archive, so that later starts are short.

least=21
program=io.github.senderwhitelist.cli

# Sets $version to the version of the Java in the folder $1, or to nothing if there is none.
look() {
  version=
  [ -x "$1/bin/java" ] || return 0
  if [ -r "$1/release" ]; then
    while IFS='=' read -r name value; do
      if [ "$name" = JAVA_VERSION ]; then
        version=${value#\"}
        break
      fi
    done < "$1/release"
  fi
  if [ -z "$version" ]; then
    version=$("$1/bin/java" -version 2>&1 | sed -n 's/.* version "\([^"]*\)".*/\1/p')
  fi
  version=${version%\"}
}

# Takes the Java in the folder $1 if its version is at least $2.
take() {
  case $found in
    *" $1 ("*) return 0 ;;
  esac
  look "$1"
  [ -n "$version" ] || return 0
  found="$found $1 ($version)"
  number=${version%%[!0-9]*}
  if [ "${number:-0}" -ge "$2" ]; then
    home=$1
    release=$number
  fi
}

# cron and containers often have no locale. Java can name no files then but those in ASCII.
case ${LC_ALL:-${LC_CTYPE:-${LANG:-C}}} in
  C | POSIX)
    LC_ALL=C.UTF-8
    export LC_ALL
    ;;
esac
# A descriptor that is closed would be that of the first file that Java opens.
{ true 3<&0; } 2> /dev/null || exec 0> /dev/null
{ true 3>&1; } 2> /dev/null || exec 1< /dev/null
{ true 3>&2; } 2> /dev/null || exec 2< /dev/null

home=
release=
found=
[ -z "$JAVA_HOME" ] || take "$JAVA_HOME" $least
if [ -z "$home" ] && java=$(command -v java); then
  real=$(readlink -f "$java" 2> /dev/null || echo "$java")
  folder=${real%/bin/java}
  if [ ! -r "$folder/lib/modules" ]; then
    # A program that starts the real one.
    real=$("$java" -XshowSettings:properties -version 2>&1 | sed -n 's/^ *java\.home = //p')
    folder=${real:-$folder}
  fi
  take "$folder" $least
fi
if [ -z "$home" ]; then
  for folder in /usr/lib/jvm/*; do
    [ -h "$folder" ] || take "$folder" $((release ? release + 1 : least))
  done
fi
if [ -z "$home" ]; then
  echo "Java $least or newer is needed; found:${found:- none} in JAVA_HOME, on the path and in /usr/lib/jvm." \
    "Install one, or set JAVA_HOME to its folder. Nothing was done" >&2
  exit 2
fi

self=$0
case $self in
  /*) ;;
  *) self=$PWD/${self#./} ;;
esac
case $self in
  */../*) self=$(cd -P "${self%/*}" && pwd)/${self##*/} ;;
esac
case $self in
  *:*)
    # Such a name cannot be in a class path, and there is no archive without one.
    exec "$home/bin/java" -jar "$self" "$@"
    ;;
esac

# Java 25 and newer keep more in an archive than those before.
if [ "$release" -ge 25 ]; then
  write=-XX:AOTCacheOutput
  use=-XX:AOTCache
else
  write=-XX:ArchiveClassesAtExit
  use=-XX:SharedArchiveFile
fi

# Makes the archive, by a rehearsal of the commands. If that fails, an empty one is left, so that it is not tried again
# at each start. It gets its name when it is whole, so any number of first starts can make it at once.
make() {
  new=$archive.$$
  mkdir -p "${archive%/*}" || return 0
  # What starts left behind that were killed here.
  find "${archive%/*}" -name "${archive##*/}.[0-9]*" -mmin +10 -exec rm -f {} +
  beside=0
  for other in "$archive".[0-9]*.key; do
    [ ! -f "$other" ] || beside=$((beside + 1))
  done
  # If starts are killed here again and again, the next ones do without.
  [ $beside -lt 8 ] || return 0
  printf '%s\n' "$key" > "$new.key" || return 0
  # If there is too little memory, this ends, and not the server beside it.
  echo 1000 > /proc/self/oom_score_adj
  "$home/bin/java" -XX:+UseSerialGC "$write=$new" -cp "$self" $program.Rehearsal "$new.swl"
  rm -f "$new.swl" "$new.config"
  [ -f "$new" ] || : > "$new"
  mv -f "$new" "$archive"
  mv -f "$new.key" "$archive.key"
}

# The archive is as trustworthy as who can change it, so only one's own folder will do.
archived=
if [ -O "${XDG_CACHE_HOME:-$HOME}" ]; then
  archive=${XDG_CACHE_HOME:-$HOME/.cache}/james-sender-whitelist$self.archive
  key=$(LC_ALL=C TZ=UTC ls -dilL "$self" "$home/lib/modules" 2> /dev/null)
  one=
  two=
  [ ! -r "$archive.key" ] || { IFS= read -r one && IFS= read -r two; } < "$archive.key"
  if [ "$one${two:+
$two}" != "$key" ]; then
    (umask 077 && make) > /dev/null 2>&1 < /dev/null
  fi
  [ ! -s "$archive" ] || archived=$use=$archive
fi

# Returns whether $1 is a file of over 64 MB.
large() {
  case $1 in
    /*) file=$1 ;;
    *) file=./$1 ;;
  esac
  [ -f "$file" ] && [ -n "$(find -L "$file" -prune -size +131072 2> /dev/null)" ]
}

# The second compiler pays only for what takes some seconds: the lines of standard input, and lists of over 64 MB. Here it
# inlines less than it would, which saves a quarter of the time of 10^6 checks.
options=
second="-XX:+IgnoreUnrecognizedVMOptions -XX:FreqInlineSize=100"
case $1 in
  check | build)
    options=-XX:TieredStopAtLevel=1
    for argument; do
      case $argument in
        - | *.gz) options=$second ;;
        -* | *.swl) ;;
        *) large "$argument" && options=$second ;;
      esac
    done
    ;;
esac
user="$JAVA_TOOL_OPTIONS $_JAVA_OPTIONS $JDK_JAVA_OPTIONS"
# What a build allocates stays, or is garbage at once.
case $1/$user in
  *-Xm[nsx]* | *HeapSize* | *NewSize*) ;;
  build/*) options="$options -Xmn16m" ;;
esac

options="-XX:+UseSerialGC $options"
# What the user sets counts. Java does not start with two collectors, or with an archive that does not fit.
case $user in
  *GC* | *-Xshare* | *Archive* | *AOT*)
    options=
    archived=
    ;;
esac

# Java complains of an archive that does not fit, and does without. Its log is turned off for that.
exec "$home/bin/java" $options ${archived:+"$archived"} -Xlog:disable -cp "$self" $program.Main "$@"
