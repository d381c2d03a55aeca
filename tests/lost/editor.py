"""A user's editor. Argument: JSON with `files` and `seed`. Edits them in different ways until its input ends.
Prints each line that it saved, with the file and the way, as JSON."""
import json, os, random, select, sys, time

want = json.loads(sys.argv[1])
choose = random.Random(want["seed"])
count = 0

def in_place(path, line):
    with open(path, "r+") as file:
        text = file.read()
        file.seek(0)
        file.write(line + text)
        file.truncate()

def renamed(path, line):
    with open(path) as file:
        text = file.read()
    with open(path + ".swp", "w") as file:
        file.write(line + text)
    os.replace(path + ".swp", path)

def appended(path, line):
    with open(path, "a") as file:
        file.write(line)

def held(path, line):
    with open(path, "a") as file:
        time.sleep(choose.random() * 0.2)
        file.write(line)

print("ready", flush=True)
while not select.select([sys.stdin], [], [], choose.random() * want["pause"])[0]:
    count += 1
    path, how = choose.choice(want["files"]), choose.choice([in_place, renamed, appended, held])
    line = f"user {want['seed']} {count}"
    how(path, line + "\n")
    print(json.dumps({"path": path, "line": line, "how": how.__name__}), flush=True)
