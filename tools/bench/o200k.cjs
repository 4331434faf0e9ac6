// Prints the o200k tokens of each text in a JSON file: `o200k.cjs PACKAGE TEXTS`.

const { readFileSync } = require("node:fs");

const [, , tokenizer, texts] = process.argv;
const { countTokens } = require(tokenizer);
const counts = JSON.parse(readFileSync(texts, "utf8")).map((text) => countTokens(text));
console.log(JSON.stringify(counts));
