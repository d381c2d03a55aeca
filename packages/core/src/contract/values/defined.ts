type Defined<Fields> = { readonly [Name in keyof Fields]?: Exclude<Fields[Name], undefined> };

/** The fields that have a value. An optional field must not be there with `undefined`. */
export function defined<Fields extends object>(fields: Fields): Defined<Fields> {
  const made: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(fields)) if (value !== undefined) made[name] = value;
  return made as Defined<Fields>;
}
