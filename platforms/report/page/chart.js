// SPDX-License-Identifier: Apache-2.0
// Items of kind "chart": line, step, scatter, bar, stacked_bar (heat: heat.js), with marked points.

const dashes = ["solid", "dashed", "dotted"];
const mostNamed = 40;      // points of a scatter chart whose names stand beside them
const symbols = ["circle", "rect", "triangle", "diamond"];

function hasNames(item) {
    return item.series.some((s) => s.names);
}

function chartRows(item) {
    const named = item.categories.length > 0;
    return item.series.flatMap((s) => s.points.map(([x, y], i) => [s.name, named ? item.categories[x] ?? String(x) : x, y,
        ...(hasNames(item) ? [s.names?.[i] ?? ""] : [])]));
}

function chartColumns(item) {
    return [{name: "series", unit: ""}, {name: item.x.name || "x", unit: item.x.unit},
        {name: item.y.name || "y", unit: item.y.unit}, ...(hasNames(item) ? [{name: "point", unit: ""}] : [])];
}

// Lines from left to right at the values that all others are compared with.
function referenceLines(item, palette, y, upright = true) {
    return {
        symbol: "none", silent: true, animation: false, z: 2,
        lineStyle: {color: palette.text, width: 1.25, type: "solid", opacity: 0.75},
        label: {show: true, formatter: "{b}", position: "insideEndTop", color: palette.muted, fontFamily, fontSize: 12,
            textBorderColor: palette.ground, textBorderWidth: 3},
        data: item.references.map((r) => ({name: r.label, [upright ? "yAxis" : "xAxis"]: y.map(r.y)})),
    };
}

// Series before this one that it would hide: they agree within a percent at half of its points or more.
function hidden(item, index) {
    const points = item.series[index].points;
    return item.series.slice(0, index).filter((other) => {
        const values = new Map(other.points);
        const near = points.filter(([x, y]) => values.has(x) && Math.abs(values.get(x) - y) <= 0.01 * Math.abs(y));
        return points.length > 0 && 2 * near.length >= points.length;
    }).length;
}

function lineSeries(item, s, index, colourIndex, palette, x, y, width) {
    const colour = seriesColour(palette, colourIndex);
    const round = item.type === "scatter" ? 0 : hidden(item, index) + Math.floor(colourIndex / palette.series.length);
    const points = s.points.map(([px, py], i) => [x.map(px), y.map(py), ...(s.names ? [s.names[i]] : [])]);
    if (item.type === "scatter") {
        const named = s.names && item.series.reduce((n, other) => n + other.points.length, 0) <= mostNamed;
        return {
            type: "scatter", name: s.name, data: points, label: named ? {show: true, formatter: (p) => p.value[2],
                position: "right", color: palette.muted, fontFamily, fontSize: 11.5} : undefined,
            labelLayout: named ? ({rect, labelRect}) => ({hideOverlap: true,      // not beyond the right edge
                ...(labelRect.x + labelRect.width > width - 22 ? {x: rect.x - 5, align: "right"} : {})}) : undefined, symbol: symbols[index % symbols.length],
            symbolSize: points.length > 500 ? 4 : 7, itemStyle: {color: colour, opacity: points.length > 60 ? 0.6 : 0.9},
            large: false,
        };
    }
    return {
        type: "line", name: s.name, data: points, step: item.type === "step" ? "end" : false,
        symbol: symbols[index % symbols.length], symbolSize: 6, showSymbol: points.length <= 24 && points.length * item.series.length <= 200,
        sampling: item.type === "step" || points.length < 3000 ? undefined : "lttb",
        lineStyle: {width: round === 0 ? 2 : 2.5, color: colour, type: dashes[round % dashes.length]}, itemStyle: {color: colour},
        emphasis: {focus: item.series.length > 1 ? "series" : "none", lineStyle: {width: 2.5}},
    };
}

function barSeries(item, s, index, palette, y, count) {
    const data = Array(count).fill(null);
    for (const [px, py] of s.points) {
        if (px >= 0 && px < count) {
            data[px] = y.map(py);
        }
    }
    return {
        type: "bar", name: s.name, data, stack: item.type === "stacked_bar" ? "all" : undefined,
        itemStyle: {color: seriesColour(palette, index), borderColor: palette.ground,
            borderWidth: item.type === "stacked_bar" && count <= 60 ? 1 : 0},
        barMaxWidth: 46, barCategoryGap: count > 24 ? "8%" : "34%", barGap: "6%",
        emphasis: {focus: item.series.length > 1 ? "series" : "none"},
    };
}

// Puts the words of marks beside their rings, one line below the other where rings are close; the marks come from the
// top to the bottom of the chart.
function stackedLabels() {
    const line = 17;
    const bottoms = {left: -Infinity, right: -Infinity};
    return ({dataIndex, rect, labelRect, align}) => {
        if (dataIndex === 0) {
            bottoms.left = bottoms.right = -Infinity;
        }
        const left = align === "right";
        const side = left ? "left" : "right";
        const y = Math.max(rect.y + rect.height / 2, bottoms[side] + line);
        bottoms[side] = y;
        return {x: left ? rect.x - 16 : rect.x + rect.width + 16, y, align, verticalAlign: "middle", labelRect};
    };
}

// Rings with their words beside them, off the curve; place(mark) gives value, position and align.
function markSeries(item, palette, place, layout = {moveOverlap: "shiftY"}) {
    return {
        type: "scatter", name: "", data: item.marks.map((m) => {
            const {value, position, align} = place(m);
            return {value, name: m.label, label: {formatter: m.label, position, align}};
        }),
        symbol: "circle", symbolSize: 11, z: 10,
        itemStyle: {color: palette.ground, borderColor: palette.mark, borderWidth: 2.5},
        label: {show: true, color: palette.mark, fontFamily, fontSize: 12.5, fontWeight: 600, distance: 8,
            textBorderColor: palette.ground, textBorderWidth: 3, backgroundColor: palette.ground, padding: [1, 3]},
        labelLayout: layout, labelLine: {show: true, lineStyle: {color: palette.mark, width: 1}},
        tooltip: {formatter: (p) => tooltipContent(p.name, [])},
    };
}

// Thin lines from bottom to top, their words when pointed at.
function momentLines(item, palette, x) {
    return {
        symbol: "none", silent: false, label: {show: false}, z: 1,
        lineStyle: {color: palette.muted, width: 1, type: "dashed", opacity: 0.7},
        emphasis: {lineStyle: {width: 2}, label: {show: true, formatter: "{b}", position: "insideEndTop", color: palette.text}},
        data: item.moments.map((m) => ({name: m.label, xAxis: x.map(m.x)})),
        tooltip: {show: false},
    };
}

// A linear axis whose values all lie on one side of a line still reaches it.
function reachingAxis(axis, values, log) {
    return values.length === 0 || log ? axis : {...axis, max: (v) => (v.max >= Math.max(...values) ? null : Math.max(...values) * 1.1)};
}

function xyOption(item, palette, colours, width) {
    const x = axisScale(item.x, item.series.flatMap((s) => s.points.map((p) => p[0])));
    const references = item.references ?? [];
    const y = axisScale(item.y, [...item.series.flatMap((s) => s.points.map((p) => p[1])), ...item.marks.map((m) => m.y),
        ...references.map((r) => r.y)]);
    const series = item.series.map((s, i) => lineSeries(item, s, i, colours[i], palette, x, y, width));
    const xs = series.flatMap((s) => s.data.map((d) => d[0])).filter((v) => v !== null);
    const low = xs.reduce((a, b) => Math.min(a, b), Infinity);
    const high = xs.reduce((a, b) => Math.max(a, b), -Infinity);
    if (item.marks.length > 0) {
        const share = (v) => (x.log ? Math.log(v / low) / Math.log(high / low) : (v - low) / (high - low));
        const fromTop = {...item, marks: [...item.marks].sort((a, b) => b.y - a.y)};
        series.push(markSeries(fromTop, palette, (m) => {
            const left = share(x.map(m.x)) > 0.5;
            return {value: [x.map(m.x), y.map(m.y)], position: left ? "left" : "right", align: left ? "right" : "left"};
        }, stackedLabels()));
    }
    if (item.moments?.length > 0 && series.length > 0) {
        series[0].markLine = momentLines(item, palette, x);
    }
    if (references.length > 0) {
        // A series of its own: the first one may have lines from bottom to top already, and all may be switched off.
        series.push({type: "line", name: "", data: [], markLine: referenceLines(item, palette, y)});
    }
    const tight = item.type !== "scatter" && low < high;
    const xAxis = axisOption(x, palette, true);
    for (const part of [xAxis.axisTick, xAxis.axisLabel]) {
        if (tight && part.customValues) {
            part.customValues = part.customValues.filter((v) => v >= low && v <= high);
        }
    }
    // A linear axis that ends with the data would end with a number such as 0.7753, close to a round one.
    const endLabel = (v) => !tight || (x.log ? undefined : Number(v.toPrecision(2)) === v);
    return {
        xAxis: {...xAxis, ...(tight ? {min: low, max: high} : {scale: true}),
            axisLabel: {...xAxis.axisLabel, showMinLabel: endLabel(low), showMaxLabel: endLabel(high)}},
        yAxis: reachingAxis(axisOption(y, palette, false), references.map((r) => y.map(r.y)), y.log),
        series,
        dataZoom: [{type: "inside", xAxisIndex: 0, zoomOnMouseWheel: "ctrl", moveOnMouseWheel: false,
            moveOnMouseMove: true, filterMode: "none"}],
        tooltip: {
            ...baseOption(palette).tooltip, trigger: item.type === "scatter" ? "item" : "axis",
            axisPointer: {type: "line", lineStyle: {color: palette.muted, width: 1}},
            formatter: (what) => {
                const all = (Array.isArray(what) ? what : [what]).filter((p) => p.seriesName !== "" && p.value[1] !== null);
                if (all.length === 0) {
                    return null;
                }
                const heading = `${item.x.name}: ${x.words(all[0].value[0] / x.factor)}`;
                return tooltipContent(heading, all.slice(0, 16).map((p) =>
                    [p.color, (item.type === "scatter" && p.value[2]) || p.seriesName, y.words(p.value[1] / y.factor)]));
            },
        },
    };
}

// Bars stand up, or lie when their names are long or many.
function barNames(item) {
    if (item.categories.length > 0) {
        return {names: item.categories, item, long: item.categories.some((c) => c.length > 14) || item.categories.length > 16};
    }
    const values = [...new Set(item.series.flatMap((s) => s.points.map((p) => p[0])))].sort((a, b) => a - b);
    const scale = axisScale({...item.x, log: false}, values);
    const place = new Map(values.map((v, i) => [v, i]));
    const nearest = (v) => place.get(values.reduce((a, b) => (Math.abs(b - v) < Math.abs(a - v) ? b : a), values[0]));
    return {
        names: values.map((v) => formatNumber(v * scale.factor, 5)), long: false, title: scale.title,
        item: {...item, series: item.series.map((s) => ({...s, points: s.points.map(([x, y]) => [place.get(x), y])})),
            marks: item.marks.map((m) => ({...m, x: nearest(m.x)}))},
    };
}

function barOption(original, palette, colours) {
    const {names, item, long, title} = barNames(original);
    const y = axisScale(item.y, item.type === "stacked_bar"
        ? names.map((_, i) => item.series.reduce((sum, s) => sum + (s.points.find((p) => p[0] === i)?.[1] ?? 0), 0))
        : item.series.flatMap((s) => s.points.map((p) => p[1])));
    const series = item.series.map((s, i) => barSeries(item, s, colours[i], palette, y, names.length));
    if (item.marks.length > 0) {
        const point = (m, at) => (long ? [y.map(at), m.x] : [m.x, y.map(at)]);
        const heights = (m) => item.series.map((s) => s.points.find((p) => p[0] === m.x)?.[1] ?? 0);
        const barEnd = (m) => (item.type === "stacked_bar" ? heights(m).reduce((sum, h) => sum + h, 0) : Math.max(...heights(m)));
        const rings = markSeries(item, palette, (m) => ({value: point(m, m.y)}));
        rings.label = {show: false};
        // Words are beyond the end of the bar, so that they cover none of it.
        const words = markSeries(item, palette, (m) => ({value: point(m, Math.max(m.y, barEnd(m))), position: long ? "right" : "top"}));
        words.symbolSize = 0;
        words.silent = true;
        series.push(rings, words);
    }
    const value = axisOption(y, palette, long);
    value.splitLine.show = true;
    value.axisLine.show = false;
    const category = categoryAxisOption(title || headingOf(item.x.name, item.x.unit), names, palette, !long);
    if (long) {
        category.name = "";
    }
    if (long && item.marks.length > 0) {
        value.max = (all) => all.max * 1.5;  // room for their words
        value.axisLabel.showMaxLabel = false;
    }
    if (item.references?.length > 0) {
        series.push({type: "bar", name: "", data: [], markLine: referenceLines(item, palette, y, !long)});
    }
    return {
        xAxis: long ? value : category, yAxis: long ? category : value, series,
        tooltip: {
            ...baseOption(palette).tooltip, trigger: "axis",
            axisPointer: {type: "shadow", shadowStyle: {color: palette.muted, opacity: 0.12}},
            formatter: (what) => {
                const all = what.filter((p) => p.seriesName !== "" && p.value !== null && p.value !== undefined);
                return all.length === 0 ? null : tooltipContent(names[all[0].dataIndex], all.map((p) =>
                    [p.color, p.seriesName, y.words(p.value / y.factor)]));
            },
        },
    };
}

function chartItem(item) {
    if (item.type === "heat") {
        return heatItem(item);
    }
    const bars = item.type === "bar" || item.type === "stacked_bar";
    const names = item.series.map((s) => s.name);
    if (!item.series.some((s) => s.points.length > 0)) {
        return emptyFigure(item);
    }
    const colours = colourIndices(names);
    const option = (palette, width) => {
        const {height: top, legend} = names.length > 1 ? legendOf(palette, names, width) : {height: 16};
        return {
            ...baseOption(palette),
            ...(bars ? barOption(item, palette, colours) : xyOption(item, palette, colours, width)),
            grid: gridOption(top + (item.marks.length > 0 ? 12 : 0)), legend,
        };
    };
    const lying = bars && barNames(item).long;
    const height = (width) => (lying ? 66 + barNames(item).names.length * (item.type === "bar" ? Math.max(26, 16 * names.length) : 28)
        : width < 560 ? 280 : 340) + (names.length > 1 ? legendOf(palettes.light, names, width).height : 16);
    const dropped = bars || !(item.x.log || item.y.log) ? 0 : item.series.reduce((n, s) => n + s.points.filter(([x, y]) =>
        (item.x.log && x <= 0) || (item.y.log && y <= 0)).length, 0);
    return echartsFigure(item, {
        option, height, columns: chartColumns(item), rows: () => chartRows(item),
        label: `${item.type.replace("_", " ")} chart: ${item.title}. ${names.join(", ")}. ` +
            `${item.y.name} over ${item.x.name}. ${item.marks.map((m) => m.label).join(". ")}`,
    }, dropped > 0 ? `${dropped} points at or below zero are not on the logarithmic axis.` : "");
}
