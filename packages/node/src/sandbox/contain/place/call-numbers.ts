const NUMBERS: Readonly<Record<string, Readonly<Record<Call, number>>>> = {
  x64: { inotifyInit: 294, inotifyAddWatch: 254, renameat2: 316, setxattr: 188, lgetxattr: 192 },
  arm64: { inotifyInit: 26, inotifyAddWatch: 27, renameat2: 276, setxattr: 5, lgetxattr: 9 },
};

type Call = "inotifyInit" | "inotifyAddWatch" | "renameat2" | "setxattr" | "lgetxattr";

/** Numbers of calls of Linux that Node does not make, from its own tables; `undefined` for another processor or system. */
export const CALL_NUMBERS = process.platform === "linux" ? NUMBERS[process.arch] : undefined;
