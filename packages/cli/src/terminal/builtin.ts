/**
 * Modules of Node for the hook client, which must load little. An `import` of them evaluates every export, and with
 * that loads dozens of other modules: promises, streams, readline. They are functions, because an older Node has no
 * `getBuiltinModule`, and has to come as far as the message about its version.
 */
export const fs = () => process.getBuiltinModule("node:fs");

export const net = () => process.getBuiltinModule("node:net");

export const os = () => process.getBuiltinModule("node:os");

export const v8 = () => process.getBuiltinModule("node:v8");
