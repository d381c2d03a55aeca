const GO_OPTIONS =
  "-v -x -n -a -race -msan -asan -trimpath -tags= -p= -json -short -failfast -count= -run= -skip= -timeout= -parallel= " +
  "-cpu= -bench= -benchmem -benchtime= -list= -shuffle= -cover -covermode= -coverpkg= -buildvcs=";

const TEST_OPTIONS =
  "-e -f -d -L -h -r -w -x -s -n -z -b -c -p -S -u -g -k -t -O -G -N -a -o -eq -ne -lt -le -gt -ge -nt -ot -ef";

export const WORDED_OPTIONS: Readonly<Record<string, string>> = {
  /* Without what runs (`-exec`, `-ok`), deletes, or writes a file (`-fprint`, `-fls`). */
  find:
    "-H -L -P -E -s -x -name -iname -path -ipath -wholename -iwholename -regex -iregex -regextype -type -xtype -maxdepth " +
    "-mindepth -depth -prune -print -print0 -printf -ls -size -mtime -atime -ctime -mmin -amin -cmin -newer -newermt " +
    "-anewer -cnewer -empty -readable -writable -executable -perm -user -group -uid -gid -nouser -nogroup -links -inum " +
    "-samefile -lname -ilname -xdev -mount -follow -not -and -or -a -o -true -false -quit -daystart -noleaf -warn -nowarn",
  test: TEST_OPTIONS,
  "[": TEST_OPTIONS,
  "go test": GO_OPTIONS,
  "go build": GO_OPTIONS,
  gofmt: "-l -w -d -s -e",
  goimports: "-l -w -d -e -v",
  "go generate": "-v -x -n -run= -skip= -tags=",
  "go env": "-json",
  "go doc": "-all -short -src -u -c -cmd",
  "go mod": "-v -x -e -json -m",
  "go tool cover": "-func=",
  "go vet": "-v -x -n -json -tags= -c=",
  "go list": "-m -e -json= -deps -test -f= -find -tags=",
  "go version": "-m -v",
};
