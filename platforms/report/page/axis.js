// SPDX-License-Identifier: Apache-2.0
// Axes: one prefix for a whole axis, named with its unit; a logarithmic axis has the prefix at each tick.

function magnitudes(values) {
    return values.reduce((most, v) => (typeof v === "number" && Number.isFinite(v) ? Math.max(most, Math.abs(v)) : most), 0);
}

const mostCounts = 9;

// A few whole numbers of something are labelled themselves: numbers of nodes such as 1, 2, 4.
function countTicks(values, unit) {
    const counts = [...new Set(values)].sort((a, b) => a - b);
    return unit === "" && counts.length <= mostCounts && counts.every(Number.isInteger) ? counts : [];
}

// Labelled values of a logarithmic axis around values above zero: powers of two for bytes, otherwise 1, 2 and 5 times
// powers of ten, or powers of ten alone over more than three decades.
function logTicks(low, high, unit) {
    const all = [];
    if (unit === "bytes") {
        const [first, last] = [Math.floor(Math.log2(low) + 1e-9), Math.ceil(Math.log2(high) - 1e-9)];
        const step = Math.ceil((last - first) / 9) || 1;
        for (let power = first; power <= last; power += step) {
            all.push(2 ** power);
        }
        return all;
    }
    const factors = Math.log10(high / low) > 3 ? [1] : [1, 2, 5];
    for (let power = Math.floor(Math.log10(low)); power <= Math.ceil(Math.log10(high)); power += 1) {
        all.push(...factors.map((f) => Number(`${f}e${power}`)));
    }
    const from = all.findLastIndex((v) => v <= low * (1 + 1e-9));
    const to = all.findIndex((v) => v >= high * (1 - 1e-9));
    return all.slice(Math.max(from, 0), to < 0 ? undefined : to + 1);
}

function axisScale(axis, values) {
    const scale = axis.log ? {factor: 1, unit: ""} : scaleFor(axis.unit, magnitudes(values));
    return {
        ...scale, axis, log: axis.log === true,
        // Of a logarithmic axis; a single value is in its middle.
        ticks() {
            const drawn = values.filter((v) => typeof v === "number" && Number.isFinite(v) && v > 0);
            const counts = countTicks(drawn, axis.unit);
            if (drawn.length === 0 || counts.length > 1) {
                return counts;
            }
            const found = logTicks(drawn.reduce((a, b) => Math.min(a, b)), drawn.reduce((a, b) => Math.max(a, b)), axis.unit);
            return found.length === 1 ? [found[0] / 2, found[0], found[0] * 2] : found;
        },
        title: axis.log && scaledUnits.has(axis.unit) ? axis.name : headingOf(axis.name, scale.unit || axis.unit),
        // To the drawn value: null where there is nothing to draw.
        map(v) {
            return typeof v !== "number" || !Number.isFinite(v) || (axis.log && v <= 0) ? null : v * scale.factor;
        },
        // One value in words.
        words(v) {
            return formatQuantity(v, axis.unit);
        },
    };
}

function axisOption(scale, palette, horizontal) {
    const ticks = scale.log ? scale.ticks() : [];
    const custom = ticks.length > 1 ? {customValues: ticks} : {};
    const option = {
        type: scale.log ? "log" : "value",
        name: scale.title, nameLocation: "middle", nameGap: horizontal ? 28 : 12,
        nameTextStyle: {color: palette.muted, fontFamily, fontSize: 12.5},
        axisLine: {show: horizontal, lineStyle: {color: palette.line}},
        axisTick: {show: horizontal, lineStyle: {color: palette.line}, ...custom},
        axisLabel: {
            ...custom, color: palette.muted, fontFamily, fontSize: 12, hideOverlap: true,
            formatter: (v) => (scale.log && scaledUnits.has(scale.axis.unit) ? formatQuantity(v, scale.axis.unit, 4)
                : formatNumber(v, 6)),
        },
        splitLine: {show: !horizontal, lineStyle: {color: palette.faint}},
        minorSplitLine: {show: false},
    };
    if (ticks.length > 1) {
        option.min = ticks[0];
        option.max = ticks.at(-1);
    }
    return option;
}

function categoryAxisOption(title, names, palette, horizontal) {
    return {
        type: "category", data: names, name: title, nameLocation: "middle", nameGap: horizontal ? 28 : 12,
        nameTextStyle: {color: palette.muted, fontFamily, fontSize: 12.5},
        inverse: !horizontal,
        axisLine: {lineStyle: {color: palette.line}},
        axisTick: {show: false},
        axisLabel: {color: horizontal ? palette.muted : palette.text, fontFamily, fontSize: 12, hideOverlap: horizontal,
            interval: horizontal ? "auto" : 0, width: 220, overflow: "truncate"},
    };
}

function gridOption(top) {
    return {left: 10, right: 22, top, bottom: 8, outerBoundsMode: "same", outerBoundsContain: "all"};
}
