// `validate.mjs MODULES FILE` reads {schemas: {name: schema}, values: {name: [JSON text]},
// patterns: [text]} and prints {valid: {name: [boolean]}, compiled: [boolean]}.

import { readFileSync } from "node:fs";
import { createRequire } from "node:module";

const [modules, file] = process.argv.slice(2);
const { Ajv2020 } = createRequire(`${modules}/`)("ajv/dist/2020.js");
const { schemas, values, patterns } = JSON.parse(readFileSync(file, "utf8"));

function checked(schema, texts) {
  const ajv = new Ajv2020({ strict: false, validateFormats: false, unicodeRegExp: false });
  const validate = ajv.compile(schema);
  return texts.map((text) => validate(JSON.parse(text)));
}

function compiles(pattern) {
  try {
    return new RegExp(pattern) && new RegExp(pattern, "u") && true;
  } catch {
    return false;
  }
}

const valid = Object.fromEntries(
  Object.entries(schemas).map(([name, schema]) => [name, checked(schema, values[name])]),
);
console.log(JSON.stringify({ valid, compiled: patterns.map(compiles) }));
