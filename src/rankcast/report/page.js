"use strict";
(() => {
  const data = JSON.parse(document.getElementById("data").textContent);
  const $ = (id) => document.getElementById(id);
  const state = { method: data.method, metric: data.metric, kind: "average", k: data.focus, plotly: false };
  const logs = data.k.map(Math.log);
  const last = data.k[data.k.length - 1];
  const level = `${Math.round(1000 * data.level) / 10}%`;

  // how numbers read: as in words.py
  const count = (n) => Math.round(n).toLocaleString("en-US");
  const words = (value, share) => {
    if (share && ((value > 0 && value < 0.5e-4) || (value < 1 && value > 1 - 0.5e-4))) return value < 0.5 ? "<0.01%" : ">99.99%";
    if (share) return `${(100 * value).toFixed((value >= 0.01 && value <= 0.99) || value === 0 || value === 1 ? 1 : 2)}%`;
    const size = Math.abs(value);
    if (size >= 1000) return value.toLocaleString("en-US", { minimumFractionDigits: 1, maximumFractionDigits: 1 });
    return value.toFixed(3);
  };
  // Plotly reads some markup in its texts: names that users chose must not become any
  const plain = (text) => String(text).replace(/&/g, "&amp;").replace(/</g, "&lt;").replace(/>/g, "&gt;");
  const css = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
  const faded = (colour, alpha) => `rgba(${[1, 3, 5].map((i) => parseInt(colour.slice(i, i + 2), 16)).join(",")},${alpha})`;

  const about = () => data.metrics[state.metric];
  const shown = () => {
    const curve = data.curves[state.method][state.metric];
    const one = state.kind === "one";
    return { value: curve.value, low: one ? curve.one_low : curve.low, high: one ? curve.one_high : curve.high };
  };
  // linear in log k between the points of the ladder, as capacity() has it
  const at = (values, k) => {
    const x = Math.log(k);
    let i = logs.findIndex((each) => each >= x - 1e-12);
    if (i <= 0) return values[i < 0 ? values.length - 1 : 0];
    const share = (x - logs[i - 1]) / (logs[i] - logs[i - 1]);
    return values[i - 1] + share * (values[i] - values[i - 1]);
  };
  const lastAbove = (values, asked) => {
    const sign = about().falls ? 1 : -1;
    const below = values.findIndex((value) => sign * value < sign * asked - 1e-9 * Math.max(1, Math.abs(asked)));
    if (below < 0) return Infinity;
    if (below === 0) return 1;
    const share = (values[below - 1] - asked) / (values[below - 1] - values[below]);
    return Math.floor(Math.exp(logs[below - 1] + share * (logs[below] - logs[below - 1])) + 1e-9);
  };

  // the slider is logarithmic, and stops at numbers that are easy to say
  const fromSlider = (step) => {
    const k = Math.exp(logs[0] + (step / $("slider").max) * (logs[logs.length - 1] - logs[0]));
    const unit = 10 ** Math.max(Math.floor(Math.log10(k)) - 1, 0);
    return Math.min(Math.max(Math.round(k / unit) * unit, data.k[0]), last);
  };
  const toSlider = (k) => Math.round(($("slider").max * (Math.log(k) - logs[0])) / (logs[logs.length - 1] - logs[0]));

  const strong = (text) => Object.assign(document.createElement("strong"), { textContent: text });

  function read() {
    const { value, low, high } = shown();
    const share = about().share;
    const [v, l, h] = [value, low, high].map((each) => words(at(each, state.k), share));
    if (fromSlider($("slider").value) !== state.k) $("slider").value = toSlider(state.k); // else it stays where it was put
    $("slider").setAttribute("aria-valuetext", `${count(state.k)} classes`);
    if (document.activeElement !== $("number")) $("number").value = count(state.k);
    $("reading").replaceChildren(
      `On ${count(state.k)} classes: `, strong(v), ` ${level} interval ${l} to ${h}`,
      state.k <= data.k1 ? " (measured)" : ` (${(Number((state.k / data.k1).toPrecision(2))).toLocaleString("en-US")}× those measured)`,
    );
    if (state.plotly) mark();
  }

  function hold() {
    const share = about().share;
    $("target-label").textContent = `${about().name} stays at or ${about().falls ? "above" : "below"}`;
    $("target-unit").textContent = share ? "%" : "";
    const asked = Number($("target").value.replace(/[%,\s]/g, "")) / (share ? 100 : 1);
    if ($("target").value.trim() === "" || !Number.isFinite(asked)) {
      $("capacity").textContent = "… write a number";
      return;
    }
    const { value, low, high } = shown();
    const [n, a, b] = (about().falls ? [value, low, high] : [value, high, low]).map((each) => lastAbove(each, asked));
    const say = (n) => (Number.isFinite(n) ? count(n) : `>${count(last)}`);
    $("capacity").replaceChildren(
      Number.isFinite(n) ? "up to " : "beyond ", strong(count(Math.min(n, last))), " classes",
      Number.isFinite(a) ? ` (${level} interval ${say(a)} to ${say(b)}).` : ", as does its whole interval.",
    );
  }

  function suggestTarget() {
    const value = at(shown().value, Math.min(data.k1, last));
    const asked = about().share ? Math.max(Math.floor(20 * value - 1e-9) / 20, 0.05) : value;
    $("target").value = about().share ? String(Math.round(100 * asked)) : words(asked, false).replace(/,/g, "");
  }

  function tabulate() {
    const { value, low, high } = shown();
    const share = about().share;
    $("column").textContent = about().name;
    $("caption").textContent = `${about().name} by ${state.method}, with the ${level} interval for `
      + (state.kind === "one" ? "one set of classes" : "the average over sets of classes");
    const cell = (tag, text) => Object.assign(document.createElement(tag), { textContent: text });
    $("numbers").tBodies[0].replaceChildren(...data.rungs.map((k) => {
      const row = document.createElement("tr");
      if (data.asked.includes(k)) row.className = "asked";
      const head = Object.assign(cell("th", count(k)), { scope: "row" });
      const how = Object.assign(cell("td", k <= data.k1 ? "measured" : "forecast"), { className: "how" });
      row.append(head, ...[value, low, high].map((each) => cell("td", words(at(each, k), share))), how);
      return row;
    }));
  }

  async function copy() {
    const rows = [...$("numbers").rows].map((row) => [...row.cells].map((cell) => cell.textContent).join("\t"));
    try {
      await navigator.clipboard.writeText(rows.join("\n"));
    } catch {
      const range = document.createRange();
      range.selectNode($("numbers"));
      getSelection().removeAllRanges();
      getSelection().addRange(range);
      document.execCommand("copy");
    }
    $("copied").textContent = "Copied: paste it into a spreadsheet.";
  }

  // charts
  const title = (text) => ({ text: plain(text), font: { size: 13 } });
  const axis = (more) => ({
    color: css("--soft"), gridcolor: css("--grid"), linecolor: css("--soft"), zeroline: false, fixedrange: true, automargin: true, ...more,
  });
  const layout = (more) => ({
    font: { family: getComputedStyle(document.body).fontFamily, size: 13, color: css("--soft") },
    paper_bgcolor: "rgba(0,0,0,0)", plot_bgcolor: "rgba(0,0,0,0)", showlegend: false, dragmode: false,
    margin: { l: 56, r: 14, t: 14, b: 48 }, hovermode: "x",
    hoverlabel: { bgcolor: css("--card"), bordercolor: css("--rule"), font: { color: css("--ink") } }, ...more,
  });
  const upright = (x) => ({
    type: "line", x0: x, x1: x, yref: "paper", y0: 0, y1: 1, line: { color: css("--soft"), width: 1, dash: "dot" },
  });
  const settings = { displayModeBar: false, responsive: true };
  const valueAxis = (share, more) => axis({ ...(share ? { tickformat: ".0%" } : {}), ...more });
  const draw = (id, traces, shape, label) => {
    const chart = $(id);
    const still = chart.querySelector(".still");
    if (still) {
      still.remove();
      chart.classList.add("live");
    }
    chart.setAttribute("role", "img");
    chart.setAttribute("aria-label", label);
    return Plotly.react(chart, traces, shape, settings);
  };

  function drawCurve() {
    const { value, low, high } = shown();
    const share = about().share;
    const edge = data.k.indexOf(data.k1) + 1;
    const text = data.k.map((k, i) => `${count(k)} classes<br><b>${words(value[i], share)}</b><br>${words(low[i], share)} to ${words(high[i], share)}`);
    const hover = { hovertemplate: "%{text}<extra></extra>" };
    const steep = !share && !about().falls && Math.min(...low) > 0;
    return draw("curve", [
      { x: data.k, y: low, mode: "lines", line: { width: 0 }, hoverinfo: "skip" },
      { x: data.k, y: high, mode: "lines", line: { width: 0 }, fill: "tonexty", fillcolor: faded(css("--band"), 0.2), hoverinfo: "skip" },
      { x: data.k.slice(0, edge), y: value.slice(0, edge), text: text.slice(0, edge), mode: "lines", line: { color: css("--ink"), width: 3 }, ...hover },
      { x: data.k.slice(edge - 1), y: value.slice(edge - 1), text: text.slice(edge - 1), mode: "lines", line: { color: css("--accent"), width: 3, dash: "dash" }, ...hover },
      { x: [state.k], y: [at(value, state.k)], mode: "markers", marker: { color: css("--accent"), size: 12, line: { color: css("--card"), width: 2 } }, hoverinfo: "skip" },
    ], layout({
      xaxis: axis({ type: "log", title: title("number of classes"), dtick: 1, tickformat: "~s", range: [data.k[0], last].map(Math.log10), showgrid: false }),
      yaxis: valueAxis(share, { title: title(about().name), ...(share ? { range: [0, 1.02] } : steep ? { type: "log", dtick: Math.max(...high) > 50 * Math.min(...low) ? 1 : "D2" } : { rangemode: "tozero" }) }),
      shapes: [upright(data.k1), upright(state.k)],
      annotations: [{ x: Math.log10(data.k1), y: 0, yref: "paper", text: `measured: ${count(data.k1)}`, showarrow: false, xanchor: Math.log(data.k1) > 0.7 * Math.log(last) ? "right" : "left", xshift: Math.log(data.k1) > 0.7 * Math.log(last) ? -4 : 4, yanchor: "bottom", font: { color: css("--soft") } }],
    }), `${about().name} against the number of classes, by ${state.method}; the table below has the numbers`);
  }
  // once a frame, however fast the slider moves
  function mark() {
    if (state.marking) return;
    state.marking = true;
    requestAnimationFrame(() => {
      state.marking = false;
      const point = { x: [[state.k]], y: [[at(shown().value, state.k)]] };
      Plotly.update("curve", point, { "shapes[1].x0": state.k, "shapes[1].x1": state.k }, [4]);
    });
  }

  function drawLaw() {
    const { z, u, ticks, labels, edge, methods } = data.law;
    const order = Object.keys(methods).sort((a, b) => (a === state.method) - (b === state.method));
    const traces = order.map((name) => {
      const mine = name === state.method;
      return {
        x: z, y: methods[name], text: u, name: plain(name), mode: "lines", line: { color: css(mine ? "--accent" : "--soft"), width: mine ? 3 : 1 },
        opacity: mine ? 1 : 0.55, hovertemplate: mine ? "<b>%{y:.1%}</b> of examples have u ≤ %{text}<extra></extra>" : undefined, hoverinfo: mine ? undefined : "skip",
      };
    });
    return draw("law", traces, layout({
      xaxis: axis({ title: title("favourability u"), tickvals: ticks, ticktext: labels, showgrid: false, range: [z[0], z[z.length - 1]] }),
      yaxis: axis({ title: title("share of examples, D(u)"), tickformat: ".0%", range: [0, 1.02] }),
      shapes: [upright(edge)],
      annotations: [{ x: edge, y: 1, yref: "paper", text: `1 − 1/${count(data.k1)}`, showarrow: false, xanchor: "left", yanchor: "top", xshift: 4, font: { color: css("--soft") } }],
    }), `D of u by ${state.method} and, thin, by the other methods; the table below has some of its numbers`);
  }

  function drawBacktest() {
    const tested = data.backtest;
    if (!tested) return null;
    const share = data.metrics[data.metric].share;
    const sizes = [...new Set(tested.classes)];
    const seen = sizes.map(() => 0);
    const total = sizes.map((size) => tested.classes.filter((each) => each === size).length);
    const x = tested.classes.map((size) => {
      const i = sizes.indexOf(size);
      return i + (total[i] > 1 ? -0.3 + (0.6 * seen[i]++) / (total[i] - 1) : 0);
    });
    const hit = tested.value.map((_, i) => tested.low[i] <= tested.measured && tested.measured <= tested.high[i]);
    const part = (wanted, colour) => {
      const mine = hit.map((each, i) => (each === wanted ? i : -1)).filter((i) => i >= 0);
      const pick = (values) => mine.map((i) => values[i]);
      return {
        x: pick(x), y: pick(tested.value), mode: "markers", marker: { color: colour, size: 9 },
        error_y: { type: "data", symmetric: false, array: mine.map((i) => tested.high[i] - tested.value[i]), arrayminus: mine.map((i) => tested.value[i] - tested.low[i]), color: colour, thickness: 2, width: 0 },
        text: mine.map((i) => `${words(tested.value[i], share)}<br>${words(tested.low[i], share)} to ${words(tested.high[i], share)}`), hovertemplate: "%{text}<extra></extra>",
      };
    };
    return draw("backtest", [part(true, css("--accent")), part(false, css("--bad"))], layout({
      hovermode: "closest",
      xaxis: axis({ title: title("classes that the forecast saw"), tickvals: sizes.map((_, i) => i), ticktext: sizes.map((size) => `from ${count(size)}`), range: [-0.5, sizes.length - 0.5], showgrid: false }),
      yaxis: valueAxis(share, { title: title(data.metrics[data.metric].name) }),
      shapes: [{ type: "line", xref: "paper", x0: 0, x1: 1, y0: tested.measured, y1: tested.measured, line: { color: css("--ink"), width: 1.5, dash: "dash" } }],
    }), `Forecasts from fewer classes beside what was measured, ${words(tested.measured, share)}; the table below has the numbers`);
  }

  const drawAll = () => Promise.all([drawCurve(), drawLaw(), drawBacktest()]);

  // Plotly is packed, and unpacked only after the page has been painted
  async function unpack() {
    const packed = Uint8Array.from(atob($("plotly").textContent.trim()), (each) => each.charCodeAt(0));
    const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("gzip"));
    const script = document.createElement("script");
    script.textContent = await new Response(stream).text();
    document.head.append(script);
    if (typeof Plotly === "undefined") return;
    state.plotly = true;
    await drawAll();
    $("curve").on("plotly_click", (event) => setK(event.points[0].x));
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", drawAll);
    document.documentElement.dataset.charts = "live";
  }

  function setK(k) {
    if (!Number.isFinite(k)) return;
    state.k = Math.min(Math.max(Math.round(k), data.k[0]), last);
    read();
  }
  function refresh() {
    read();
    hold();
    tabulate();
    if (state.plotly) {
      drawCurve();
      drawLaw();
    }
  }
  const choose = (id, key) => $(id).addEventListener("change", (event) => {
    state[key] = event.target.value;
    if (key === "metric") suggestTarget();
    refresh();
  });

  for (const input of document.querySelectorAll(".pills input")) {
    input.checked = input.defaultChecked; // a reload may keep another choice
  }
  for (const id of ["controls", "explore", "copy"]) $(id).hidden = false;
  choose("metrics", "metric");
  choose("methods", "method");
  choose("kinds", "kind");
  $("slider").addEventListener("input", () => setK(fromSlider($("slider").value)));
  $("number").addEventListener("input", () => setK(Number($("number").value.replace(/[,_\s]/g, "") || NaN)));
  $("number").addEventListener("blur", read);
  $("target").addEventListener("input", hold);
  $("copy").addEventListener("click", copy);
  suggestTarget();
  refresh();
  requestAnimationFrame(() => setTimeout(unpack, 0));
})();
