export { type Cassette, type CassetteCall, playCassette, recordCassette } from "./cassette.ts";
export { collectEvents } from "./collect-events.ts";
export { type FakeIo, type FakeWorld, fakeIo } from "./fake-io.ts";
export { runTwice, type TwiceRun } from "./run-twice.ts";
export { type Script, type ScriptedApprover, scriptedApprover } from "./scripted-approver.ts";
export { type StubTool, stubTool } from "./stub-tool.ts";
export { type ConformanceOptions, toolConformance } from "./tool-conformance.ts";
