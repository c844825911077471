// SPDX-License-Identifier: Apache-2.0
// Axes: one prefix for a whole axis, named with its unit; a logarithmic axis has the prefix at each tick.

function magnitudes(values) {
    return values.reduce((most, v) => (typeof v === "number" && Number.isFinite(v) ? Math.max(most, Math.abs(v)) : most), 0);
}

function axisScale(axis, values) {
    const scale = axis.log ? {factor: 1, unit: ""} : scaleFor(axis.unit, magnitudes(values));
    return {
        ...scale, axis, log: axis.log === true,
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
    const option = {
        type: scale.log ? "log" : "value",
        name: scale.title, nameLocation: "middle", nameGap: horizontal ? 28 : 12,
        nameTextStyle: {color: palette.muted, fontFamily, fontSize: 12.5},
        axisLine: {show: horizontal, lineStyle: {color: palette.line}},
        axisTick: {show: horizontal, lineStyle: {color: palette.line}},
        axisLabel: {
            color: palette.muted, fontFamily, fontSize: 12, hideOverlap: true,
            formatter: (v) => (scale.log && scaledUnits.has(scale.axis.unit) ? formatQuantity(v, scale.axis.unit, 4)
                : formatNumber(v, 6)),
        },
        splitLine: {show: !horizontal, lineStyle: {color: palette.faint}},
        minorSplitLine: {show: false},
    };
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
