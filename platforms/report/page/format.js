// SPDX-License-Identifier: Apache-2.0
// Readable numbers and units, and CSV.

const siPrefixes = [[1e12, "T"], [1e9, "G"], [1e6, "M"], [1e3, "k"], [1, ""], [1e-3, "m"], [1e-6, "µ"], [1e-9, "n"],
    [1e-12, "p"]];
const binaryPrefixes = [[2 ** 40, "Ti"], [2 ** 30, "Gi"], [2 ** 20, "Mi"], [2 ** 10, "Ki"], [1, ""]];

// Units that take prefixes: what they are written as, the value of one in the base unit, and the prefixes.
const scaledUnits = new Map([
    ["s", {base: "s", factor: 1, prefixes: siPrefixes}],
    ["ms", {base: "s", factor: 1e-3, prefixes: siPrefixes}],
    ["us", {base: "s", factor: 1e-6, prefixes: siPrefixes}],
    ["ns", {base: "s", factor: 1e-9, prefixes: siPrefixes}],
    ["ps", {base: "s", factor: 1e-12, prefixes: siPrefixes}],
    ["B", {base: "B", factor: 1, prefixes: binaryPrefixes}],
    ["bytes", {base: "B", factor: 1, prefixes: binaryPrefixes}],
    ["B/s", {base: "B/s", factor: 1, prefixes: siPrefixes}],
    ["b/s", {base: "b/s", factor: 1, prefixes: siPrefixes}],
    ["bit/s", {base: "bit/s", factor: 1, prefixes: siPrefixes}],
    ["Hz", {base: "Hz", factor: 1, prefixes: siPrefixes}],
    ["J", {base: "J", factor: 1, prefixes: siPrefixes}],
    ["W", {base: "W", factor: 1, prefixes: siPrefixes}],
]);

// The scale in which the largest of some magnitudes reads best: {factor, unit}; shown = value * factor.
function scaleFor(unit, largest) {
    const known = scaledUnits.get(unit);
    if (!known) {
        return {factor: 1, unit: unit || ""};
    }
    if (!(largest > 0)) {
        return {factor: 1, unit: unit === "us" ? "µs" : unit};
    }
    const magnitude = largest * known.factor * (1 + 1e-9);
    const [size, prefix] = known.prefixes.find(([p]) => magnitude >= p) || known.prefixes.at(-1);
    return {factor: known.factor / size, unit: prefix + known.base};
}

// At most `digits` significant digits, with grouped thousands; "–" for a value that is no number.
function formatNumber(value, digits = 5) {
    if (typeof value !== "number" || !Number.isFinite(value)) {
        return "–";
    }
    const magnitude = Math.abs(value);
    if (magnitude !== 0 && (magnitude < 1e-4 || magnitude >= 1e15)) {
        return value.toExponential(Math.min(digits - 1, 3)).replace(/\.?0*e\+?/, "e");
    }
    if (Number.isInteger(value)) {
        return value.toLocaleString("en-US");
    }
    return value.toLocaleString("en-US", magnitude >= 10 ** digits ? {maximumFractionDigits: 0}
        : {maximumSignificantDigits: digits});
}

function withUnit(text, unit) {
    return unit ? `${text}\u00a0${unit}` : text;
}

// A value by itself, in the prefix that suits it: "25.256 ms".
function formatQuantity(value, unit, digits = 5) {
    if (typeof value !== "number") {
        return "–";
    }
    const scale = scaleFor(unit, Math.abs(value));
    return withUnit(formatNumber(value * scale.factor, digits), scale.unit);
}

// A value that is too small for the decimals of its column: in the unit that suits it, if there is one.
function inOwnUnit(value, unit) {
    const [size] = binaryPrefixes.find(([, prefix]) => prefix && prefix + "B" === unit) || [0];
    if (size) {
        return formatQuantity(value * size, "bytes", 4);
    }
    return scaledUnits.has(unit) ? formatQuantity(value, unit, 4) : formatNumber(value);
}

function formatPercent(share) {
    const percent = share * 100;
    return `${formatNumber(percent < 99.95 ? Math.round(percent * 10) / 10 : Math.round(percent))}\u00a0%`;
}

function headingOf(name, unit) {
    return unit ? `${name} (${unit === "us" ? "µs" : unit})` : name;
}

// One number of decimals for a column, so that its decimal points are aligned: five significant digits of the largest,
// more if the smallest would vanish, fewer if no number needs them.
function columnDecimals(values) {
    const numbers = values.filter((v) => typeof v === "number" && Number.isFinite(v) && !Number.isInteger(v));
    if (numbers.length === 0) {
        return 0;
    }
    const magnitudes = numbers.map(Math.abs).filter((v) => v > 0);
    const decimalsFor = (magnitude, digits) => digits - 1 - Math.floor(Math.log10(magnitude));
    const wanted = Math.max(decimalsFor(magnitudes.reduce((a, b) => Math.max(a, b), 0), 5),
        Math.min(decimalsFor(magnitudes.reduce((a, b) => Math.min(a, b), Infinity), 3), 6));
    const most = Math.min(Math.max(wanted, 0), 9);
    const needed = numbers.reduce((most_, v) => {
        const fraction = v.toFixed(most).split(".")[1] || "";
        return Math.max(most_, fraction.replace(/0+$/, "").length);
    }, 0);
    return Math.min(most, needed);
}

function csvCell(value) {
    if (value === null || value === undefined) {
        return "";
    }
    const text = String(value);
    return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

function csvText(header, rows) {
    return [header, ...rows].map((row) => row.map(csvCell).join(",")).join("\r\n") + "\r\n";
}
