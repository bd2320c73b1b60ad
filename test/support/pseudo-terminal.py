# A pseudo-terminal for tests: runs a command in one and relays. What the command writes goes to standard output as it
# is; lines of JSON on standard input are what a person does: {"write": "…"} or {"resize": [columns, rows]}.
# Ends as the command ended.
import fcntl
import json
import os
import pty
import select
import struct
import sys
import termios


def resize(fd, columns, rows):
    fcntl.ioctl(fd, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))


def main():
    columns, rows = int(sys.argv[1]), int(sys.argv[2])
    pid, master = pty.fork()
    if pid == 0:
        resize(0, columns, rows)
        os.execvp(sys.argv[3], sys.argv[3:])
    pending = b""
    sources = [master, 0]
    while True:
        ready, _, _ = select.select(sources, [], [])
        if master in ready:
            try:
                data = os.read(master, 65536)
            except OSError:
                data = b""
            if not data:
                break
            os.write(1, data)
        if 0 in ready:
            data = os.read(0, 65536)
            if not data:
                sources.remove(0)
                os.kill(pid, 15)
            pending += data
            *lines, pending = pending.split(b"\n")
            for line in lines:
                order = json.loads(line)
                if "write" in order:
                    os.write(master, order["write"].encode())
                else:
                    resize(master, *order["resize"])
    _, status = os.waitpid(pid, 0)
    sys.exit(os.WEXITSTATUS(status) if os.WIFEXITED(status) else 128 + os.WTERMSIG(status))


main()
