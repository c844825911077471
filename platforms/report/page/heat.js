// SPDX-License-Identifier: Apache-2.0
// Items of kind "chart", type "heat": a row a series, a cell from each of its points to the next, the darker the larger.

function heatCells(item, x) {
    return item.series.flatMap((s, row) => s.points.slice(0, -1).flatMap(([begin, value], i) =>
        (typeof value === "number" ? [[row, x.map(begin), x.map(s.points[i + 1][0]), value]] : [])));
}

function drawCell(params, api) {
    const [left, middle] = api.coord([api.value(1), api.value(0)]);
    const [right] = api.coord([api.value(2), api.value(0)]);
    const height = Math.min(24, api.size([0, 1])[1] * 0.9);
    const shape = echarts.graphic.clipRectByRect({x: left, y: middle - height / 2, width: right - left, height}, params.coordSys);
    return shape && {type: "rect", shape, style: {fill: api.visual("color")}};
}

function heatItem(item) {
    const x = axisScale(item.x, item.series.flatMap((s) => s.points.map((p) => p[0])));
    const cells = heatCells(item, x);
    const most = magnitudes(cells.map((c) => c[3]));
    if (most === 0) {
        return emptyFigure(item);
    }
    const names = item.series.map((s) => s.name);
    const words = (v) => formatQuantity(v, item.y.unit);
    const option = (palette) => ({
        ...baseOption(palette),
        grid: gridOption(40),
        visualMap: {
            type: "continuous", min: 0, max: most, dimension: 3, orient: "horizontal", top: 2, left: 0, itemWidth: 12,
            itemHeight: 140, text: [words(most), `${item.y.name}: 0`], hoverLink: false,
            textStyle: {color: palette.text, fontFamily, fontSize: 12.5},
            inRange: {color: [palette.faint, palette.series[0], palette.text]},
        },
        xAxis: {...axisOption(x, palette, true), min: "dataMin", max: cells.reduce((end, c) => Math.max(end, c[2]), 0)},
        yAxis: categoryAxisOption("", names, palette, false),
        series: [{type: "custom", name: item.y.name, renderItem: drawCell, encode: {x: [1, 2], y: 0}, clip: true, data: cells}],
        tooltip: {
            ...baseOption(palette).tooltip, trigger: "item",
            formatter: ({value: [row, begin, end, value], color}) => tooltipContent(names[row], [
                [null, item.x.name, `${x.words(begin / x.factor)} to ${x.words(end / x.factor)}`],
                [color, item.y.name, words(value)]]),
        },
    });
    return echartsFigure(item, {
        option, height: () => 90 + names.length * (names.length > 24 ? 14 : 22),
        columns: chartColumns(item), rows: () => chartRows(item),
        label: `Heat map: ${item.title}. ${names.join(", ")}. ${item.y.name} over ${item.x.name}.`,
    });
}
