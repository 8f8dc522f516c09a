// Draws the charts from the data beside this script. The page is complete without it: tables and summaries are HTML.
(function () {
  "use strict";
  const data = JSON.parse(document.getElementById("run-data").textContent);
  const plots = [];
  const color = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
  const format = (v) => (v === null || v === undefined ? "no data" : String(Number(v.toPrecision(4))));

  function bandColor(i) { return color("--band-" + (i % 4)); }

  // Fault bands lie under the curve.
  function drawBands(u) {
    const ctx = u.ctx, box = u.bbox, dpr = window.devicePixelRatio || 1;
    ctx.save();
    ctx.beginPath();
    ctx.rect(box.left, box.top, box.width, box.height);
    ctx.clip();
    data.bands.forEach((band, i) => {
      const from = u.valToPos(band.from, "x", true);
      const to = Math.max(u.valToPos(band.to, "x", true), from + 2 * dpr);
      ctx.fillStyle = ctx.strokeStyle = bandColor(i);
      ctx.globalAlpha = 0.16;
      ctx.fillRect(from, box.top, to - from, box.height);
      ctx.globalAlpha = 0.9;
      ctx.lineWidth = dpr;
      ctx.beginPath();
      ctx.moveTo(from, box.top);
      ctx.lineTo(from, box.top + box.height);
      ctx.moveTo(to, box.top);
      ctx.lineTo(to, box.top + box.height);
      ctx.stroke();
    });
    ctx.restore();
  }

  function drawMarks(u) {
    const ctx = u.ctx, box = u.bbox, dpr = window.devicePixelRatio || 1;
    ctx.save();
    ctx.font = 11 * dpr + "px system-ui, sans-serif";
    ctx.textBaseline = "top";
    ctx.textAlign = "left";
    function line(t, style, dash, width) {
      const x = u.valToPos(t, "x", true);
      if (x < box.left - 1 || x > box.left + box.width + 1) return null;
      ctx.strokeStyle = ctx.fillStyle = style;
      ctx.setLineDash(dash.map((d) => d * dpr));
      ctx.lineWidth = width * dpr;
      ctx.beginPath();
      ctx.moveTo(x, box.top);
      ctx.lineTo(x, box.top + box.height);
      ctx.stroke();
      return x;
    }
    function label(text, x, row) {
      const width = ctx.measureText(text).width;
      const left = Math.max(box.left, Math.min(x + 4 * dpr, box.left + box.width - width - 2 * dpr));
      const top = box.top + (2 + 14 * row) * dpr, style = ctx.fillStyle;
      ctx.globalAlpha = 0.75;
      ctx.fillStyle = color("--back");
      ctx.fillRect(left - 2 * dpr, top - dpr, width + 4 * dpr, 13 * dpr);
      ctx.globalAlpha = 1;
      ctx.fillStyle = style;
      ctx.fillText(text, left, top);
    }
    data.steps.forEach((step) => line(step.t, color("--step"), [2, 4], 1));
    data.violations.forEach((violation) => line(violation.t, color("--violation"), [], 2));
    // Names stand on rows in turn, so that those of overlapping faults stay readable.
    data.bands.forEach((band, i) => {
      const x = u.valToPos(band.from, "x", true);
      ctx.fillStyle = bandColor(i);
      if (x <= box.left + box.width) label(shorten(band.name), Math.max(x, box.left), i % 3);
    });
    // Names of violations stand at the bottom, away from those of the faults.
    const rows = Math.floor(box.height / dpr / 14);
    data.violations.forEach((violation, i) => {
      const x = u.valToPos(violation.t, "x", true);
      ctx.fillStyle = color("--violation");
      if (x >= box.left && x <= box.left + box.width) label("\u2717 " + shorten(violation.name), x, rows - 1 - (i % 3));
    });
    ctx.restore();
  }

  const shorten = (name) => (name.length > 24 ? name.slice(0, 23) + "\u2026" : name);

  function draw(element) {
    const chart = data.charts[Number(element.dataset.chart)];
    const readout = document.getElementById("readout-" + element.dataset.chart);
    const axis = { stroke: color("--muted"), grid: { stroke: color("--line"), width: 1 }, ticks: { stroke: color("--line"), width: 1 } };
    const plot = new uPlot({
      width: Math.max(element.clientWidth, 200),
      height: 200,
      padding: [8, 12, 0, 0],
      cursor: { sync: { key: "run" }, y: false, drag: { x: true, y: false } },
      legend: { show: false },
      scales: { x: { time: false, range: (u, min, max) => [min, max] },
                y: { range: (u, min, max) => uPlot.rangeNum(Math.min(min, 0), max, 0.1, true) } },
      series: [{}, { stroke: color("--series"), width: 2, points: { show: false }, spanGaps: false }],
      axes: [
        Object.assign({ size: 32, values: (u, splits) => splits.map((t) => t + " s"), space: 60 }, axis),
        Object.assign({ size: 64, values: (u, splits) => splits.map((v) => format(v)) }, axis),
      ],
      hooks: {
        drawAxes: [drawBands],
        draw: [drawMarks],
        setCursor: [(u) => {
          const i = u.cursor.idx;
          readout.textContent = i === null || i === undefined || u.cursor.left < 0 ? "" :
            format(u.data[0][i]) + " s: " + format(u.data[1][i]) + (chart.unit ? " " + chart.unit : "");
        }],
      },
    }, [chart.t, chart.v], element);
    plot.setScale("x", { min: data.from, max: data.to });
    return plot;
  }

  function drawAll() {
    plots.splice(0).forEach((plot) => plot.destroy());
    document.querySelectorAll(".plot").forEach((element) => plots.push(draw(element)));
  }
  drawAll();
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", drawAll);
  let pending = 0;
  addEventListener("resize", () => {
    cancelAnimationFrame(pending);
    pending = requestAnimationFrame(() => plots.forEach((plot) => {
      plot.setSize({ width: Math.max(plot.root.parentElement.clientWidth, 200), height: 200 });
    }));
  });

  const button = document.getElementById("copy");
  if (button && navigator.clipboard) {
    button.hidden = false;
    button.addEventListener("click", () => {
      navigator.clipboard.writeText(document.getElementById("command").textContent).then(
        () => { button.textContent = "Copied"; }, () => { button.textContent = "Select and copy by hand"; });
    });
  }
})();
