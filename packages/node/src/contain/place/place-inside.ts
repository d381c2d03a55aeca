/** The process that answers names and connections in the network of a place. */
export {};
