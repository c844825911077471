// SPDX-License-Identifier: Apache-2.0
// Items of kind "timeline": bars on rows, coloured by category. Bars of a row that overlap get lanes of their own.

// Adds its row's index and its lane to each bar; returns the number of lanes of each row.
function layBars(item) {
    const rowIndex = new Map(item.rows.map((name, i) => [name, i]));
    const ends = item.rows.map(() => []);
    const order = item.bars.map((bar, i) => ({...bar, index: i, rowIndex: rowIndex.get(bar.row)}))
        .filter((bar) => bar.rowIndex !== undefined)
        .sort((a, b) => a.begin - b.begin || a.end - b.end || a.index - b.index);
    for (const bar of order) {
        const lanes = ends[bar.rowIndex];
        const slack = 1e-9 * Math.abs(bar.begin);
        const free = lanes.findIndex((end) => end <= bar.begin + slack);
        bar.lane = free >= 0 ? free : lanes.length;
        lanes[bar.lane] = bar.end;
    }
    return {bars: order, lanes: ends.map((lanes) => Math.max(1, lanes.length))};
}

function drawBar(bars, lanes, colour, palette) {
    return (params, api) => {
        const bar = bars[api.value(3)];
        const [left, middle] = api.coord([api.value(1), api.value(0)]);
        const [right] = api.coord([api.value(2), api.value(0)]);
        const rowLanes = lanes[bar.rowIndex];
        const height = Math.min(26, api.size([0, 1])[1] * 0.84 / rowLanes);
        const band = height * rowLanes;
        const top = middle - band / 2 + bar.lane * height;
        const shape = echarts.graphic.clipRectByRect(
            {x: left, y: top + 0.5, width: Math.max(1.5, right - left), height: Math.max(3, height - 1.5)}, params.coordSys);
        if (!shape) {
            return null;
        }
        const room = shape.width - 10;
        return {
            type: "rect", shape: {...shape, r: 2},
            style: {fill: colour, stroke: palette.ground, lineWidth: 1},
            emphasis: {style: {stroke: palette.text, lineWidth: 1.5}},
            textContent: room < 26 || shape.height < 12 ? undefined : {
                style: {text: bar.label, fill: textOn(colour), font: `12px ${fontFamily}`, width: room,
                    overflow: "truncate", ellipsis: "…"},
            },
            textConfig: {position: "insideLeft", distance: 5},
        };
    };
}

function timelineItem(item) {
    const {bars, lanes} = layBars(item);
    const mostLanes = lanes.reduce((a, b) => Math.max(a, b), 1);
    const categories = [...new Set(item.bars.map((bar) => bar.category))];      // a legend in the order of the data
    const legend = categories.some((name) => name !== "");
    const scale = axisScale(item.x, bars.flatMap((bar) => [bar.begin, bar.end]));
    if (bars.length === 0) {
        return emptyFigure(item);
    }
    const colours = colourIndices(categories);
    const head = (palette, width) => (legend ? legendOf(palette, categories, width) : {height: 12});
    const option = (palette, width) => ({
        ...baseOption(palette),
        grid: gridOption(head(palette, width).height), legend: head(palette, width).legend,
        xAxis: {...axisOption(scale, palette, true), splitLine: {show: true, lineStyle: {color: palette.faint}}, scale: true},
        yAxis: {...categoryAxisOption("", item.rows, palette, false),
            splitLine: {show: true, lineStyle: {color: palette.faint}}, splitArea: {show: false}},
        dataZoom: [{type: "inside", xAxisIndex: 0, zoomOnMouseWheel: "ctrl", moveOnMouseWheel: false,
            moveOnMouseMove: true, filterMode: "weakFilter"}],
        series: categories.map((category, c) => ({
            type: "custom", name: category, renderItem: drawBar(bars, lanes, seriesColour(palette, colours[c]), palette),
            itemStyle: {color: seriesColour(palette, colours[c])}, encode: {x: [1, 2], y: 0}, clip: true,
            data: bars.flatMap((bar, i) => (bar.category === category
                ? [[bar.rowIndex, scale.map(bar.begin), scale.map(bar.end), i]] : [])),
        })),
        tooltip: {
            ...baseOption(palette).tooltip, trigger: "item",
            formatter: (p) => {
                const bar = bars[p.value[3]];
                return element("div", {class: "tip"}, tooltipContent(bar.label, [
                    [null, item.x.name || "from", `${scale.words(bar.begin)} to ${scale.words(bar.end)}`],
                    [null, "takes", scale.words(bar.end - bar.begin)],
                    ...(bar.category ? [[p.color, bar.category, ""]] : []),
                ]), bar.detail ? element("p", {}, bar.detail) : null);
            },
        },
    });
    const unit = item.x.unit;
    const rowHeight = item.rows.length > 24 && mostLanes === 1 ? 14 : Math.max(30, mostLanes * 22 + 8);
    return echartsFigure(item, {
        option, height: (width) => 50 + head(theme.palette(), width).height + item.rows.length * rowHeight,
        columns: [{name: "row", unit: ""}, {name: "label", unit: ""}, {name: "category", unit: ""}, {name: "begin", unit},
            {name: "end", unit}, {name: "detail", unit: ""}],
        rows: () => item.bars.map((b) => [b.row, b.label, b.category, b.begin, b.end, b.detail]),
        label: `Timeline: ${item.title}. ${item.rows.length} rows, ${bars.length} bars.`,
    });
}
