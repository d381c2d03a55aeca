import { describe, expect, test } from "vitest";
import { otherReadings } from "./path-readings.ts";

describe("what else a path may be taken for", () => {
  test.each([
    ["/v1/pets/1%2Fowner", "/v1/pets/1/owner"],
    ["/v1/pets/1%2fowner", "/v1/pets/1/owner"],
    ["/v1/pets/1%252Fowner", "/v1/pets/1/owner"],
    ["/v1/pets/1%5Cowner", "/v1/pets/1/owner"],
    ["/v1/pets/1%2F%2Fowner", "/v1/pets/1/owner"],
    ["/v1/pets/1%2Fowner%2F", "/v1/pets/1/owner"],
    ["/v1/pets/1%2Fowner%3Bx=1", "/v1/pets/1/owner"],
    ["/v1/pets;id=1/owner", "/v1/pets/owner"],
    ["/v1/pets/1%2Fowner%00.png", "/v1/pets/1/owner"],
    ["/v1/pets/1%2Fowner%3Fx", "/v1/pets/1/owner"],
    ["/v1/pets/1%2Fowner%20", "/v1/pets/1/owner"],
    ["/v1/pets/1%EF%BC%8Fowner", "/v1/pets/1/owner"],
    ["/v1/pets/root%40corp.example", "/v1/pets/root@corp.example"],
    ["/v1/pets/caf%C3%A9", "/v1/pets/café"],
    ["/v1/pets/cafe%CC%81", "/v1/pets/café"],
  ])("%s: %s", (path, reading) => {
    expect(otherReadings(path)).toContain(reading);
  });

  test("a plain path is taken for nothing else", () => {
    expect(otherReadings("/v1/pets/1")).toEqual([]);
  });

  test("no reading stands for many paths, or holds a line end", () => {
    expect(otherReadings("/v1/pets/%2A%3F%7B%0A").every((reading) => !/[*?{\n]/.test(reading))).toBe(true);
  });
});
