/**
 * Makes a value when it is first asked for. For regular expressions with Unicode properties that plain text does not
 * need: each takes up to milliseconds to make, which every process that loads them would wait for.
 */
export function onDemand<Value>(make: () => Value): () => Value {
  let made: { readonly value: Value } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}
