export { collectEvents } from "./testing/collect-events.ts";
export { type FakeIo, type FakeWorld, fakeIo } from "./testing/fake-io.ts";
export { type Script, type ScriptedApprover, scriptedApprover } from "./testing/scripted-approver.ts";
export { type StubTool, stubTool } from "./testing/stub-tool.ts";
export { type ConformanceOptions, toolConformance } from "./testing/tool-conformance.ts";
