const INSPECT = Symbol.for("nodejs.util.inspect.custom");

/** What is shown of something whose fields are getters, each of which works only when it is looked at. */
export abstract class LateFields {
  /** The names of the fields that it has. */
  protected abstract names(): readonly string[];

  /** As with fields of its own: they are listed, spread and written as JSON. Nothing can be changed. */
  static shown<Fields extends LateFields>(fields: Fields): Fields {
    return new Proxy(fields, AS_OWN as ProxyHandler<Fields>);
  }

  static has(fields: LateFields, name: string | symbol): boolean {
    return typeof name === "string" && fields.names().includes(name);
  }

  static namesOf(fields: LateFields): string[] {
    return [...fields.names()];
  }

  /** What `console.log` of Node.js shows. */
  [INSPECT](): object {
    return { ...this };
  }
}

const AS_OWN: ProxyHandler<LateFields> = {
  // A getter with private fields needs the object itself.
  get: (fields, name) =>
    LateFields.has(fields, name) || name === INSPECT
      ? Reflect.get(fields, name, fields)
      : Reflect.get(Object.prototype, name),
  has: (fields, name) => LateFields.has(fields, name) || name in Object.prototype,
  ownKeys: (fields) => LateFields.namesOf(fields),
  getOwnPropertyDescriptor: (fields, name) =>
    LateFields.has(fields, name)
      ? { value: Reflect.get(fields, name, fields), enumerable: true, configurable: true }
      : undefined,
  getPrototypeOf: () => Object.prototype,
  set: () => false,
  defineProperty: () => false,
  deleteProperty: () => false,
  preventExtensions: () => false,
};
