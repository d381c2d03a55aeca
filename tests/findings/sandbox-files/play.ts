/** Plays the scenes of these files one after another, in one jail: `play.ts a.ts,b.ts`. */
for (const name of (process.argv[2] ?? "").split(",")) await import(`./${name}`);
