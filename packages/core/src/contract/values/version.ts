/** The version of the tool contract this core understands. */
export const CONTRACT_VERSION = "1.0.0";

/** The version of this core, against which a tool's `requiredCoreVersion` is held. */
export const CORE_VERSION = "0.1.0";
