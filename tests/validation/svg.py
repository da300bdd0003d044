"""Plots with axes, lines, points and bands as SVG texts: readable on light and on dark pages, the same bytes each time."""

WIDTH, HEIGHT, LEFT, RIGHT, TOP, BOTTOM = 640, 400, 62, 20, 44, 52
STYLE = """<style>
  .page { fill: #ffffff } .ink { fill: #1f2328 } .soft { fill: #59636e } .axis { stroke: #59636e; fill: none } .grid { stroke: #d1d9e0; fill: none }
  text { font: 13px system-ui, sans-serif } .title { font-weight: 600; font-size: 15px }
  .c0 { --c: #0969da } .c1 { --c: #bc4c00 } .c2 { --c: #1a7f37 } .c3 { --c: #8250df }
  .line { stroke: var(--c); fill: none; stroke-width: 2 } .dot { fill: var(--c) } .band { fill: var(--c); opacity: 0.16 } .dash { stroke-dasharray: 6 4 }
  @media (prefers-color-scheme: dark) {
    .page { fill: #0d1117 } .ink { fill: #f0f6fc } .soft { fill: #9198a1 } .axis { stroke: #9198a1 } .grid { stroke: #30363d }
    .c0 { --c: #58a6ff } .c1 { --c: #f0883e } .c2 { --c: #3fb950 } .c3 { --c: #bc8cff } .band { opacity: 0.25 }
  }
</style>"""


class Plot:
    """One picture. x, y: (low, high, step) of the axes."""

    def __init__(self, title, x_label, y_label, x, y):
        self.x, self.y, self.parts, self.legend = x, y, [], []
        self.title, self.labels = title, (x_label, y_label)

    def _at(self, x, y):
        across = LEFT + (x - self.x[0]) / (self.x[1] - self.x[0]) * (WIDTH - LEFT - RIGHT)
        down = HEIGHT - BOTTOM - (y - self.y[0]) / (self.y[1] - self.y[0]) * (HEIGHT - TOP - BOTTOM)
        return f"{across:.1f},{down:.1f}"

    def _name(self, color, kind, text):
        if text:
            self.legend.append((color, kind, text))

    def line(self, points, color, text="", dashed=False):
        kind = "line dash" if dashed else "line"
        self.parts.append(f'<polyline class="c{color} {kind}" points="{" ".join(self._at(*p) for p in points)}"/>')
        self._name(color, kind, text)

    def band(self, points, color, text=""):
        """points: (x, low, high)."""
        outline = [self._at(x, low) for x, low, _ in points] + [self._at(x, high) for x, _, high in reversed(points)]
        self.parts.append(f'<polygon class="c{color} band" points="{" ".join(outline)}"/>')
        self._name(color, "band", text)

    def dots(self, points, color, text=""):
        for point in points:
            x, y = self._at(*point).split(",")
            self.parts.append(f'<circle class="c{color} dot" cx="{x}" cy="{y}" r="3.5"/>')
        self._name(color, "dot", text)

    def _axes(self):
        def ticks(axis):
            return [axis[0] + i * axis[2] for i in range(round((axis[1] - axis[0]) / axis[2]) + 1)]
        for x in ticks(self.x):
            at, foot = self._at(x, self.y[0]).split(",")
            yield f'<line class="grid" x1="{at}" y1="{TOP}" x2="{at}" y2="{foot}"/>'
            yield f'<text class="soft" x="{at}" y="{HEIGHT - BOTTOM + 18}" text-anchor="middle">{round(x, 6) + 0.0:g}</text>'
        for y in ticks(self.y):
            at = self._at(self.x[0], y).split(",")[1]
            yield f'<line class="grid" x1="{LEFT}" y1="{at}" x2="{WIDTH - RIGHT}" y2="{at}"/>'
            yield f'<text class="soft" x="{LEFT - 8}" y="{float(at) + 4:.1f}" text-anchor="end">{round(y, 6):g}</text>'
        yield f'<path class="axis" d="M{LEFT} {TOP}V{HEIGHT - BOTTOM}H{WIDTH - RIGHT}"/>'
        yield f'<text class="ink" x="{(LEFT + WIDTH - RIGHT) / 2}" y="{HEIGHT - 14}" text-anchor="middle">{self.labels[0]}</text>'
        yield f'<text class="ink" transform="translate(18 {(TOP + HEIGHT - BOTTOM) / 2}) rotate(-90)" text-anchor="middle">{self.labels[1]}</text>'

    def _legend(self, x, y):
        for row, (color, kind, text) in enumerate(self.legend):
            at = y + 19 * row
            if kind == "dot":
                yield f'<circle class="c{color} dot" cx="{x + 11}" cy="{at - 4}" r="3.5"/>'
            elif kind == "band":
                yield f'<rect class="c{color} band" x="{x}" y="{at - 10}" width="22" height="12"/>'
            else:
                yield f'<path class="c{color} {kind}" d="M{x} {at - 4}h22"/>'
            yield f'<text class="ink" x="{x + 29}" y="{at}">{text}</text>'

    def text(self, legend_at):
        """legend_at: where the legend stands, as shares of the plot from its upper left corner."""
        x, y = LEFT + legend_at[0] * (WIDTH - LEFT - RIGHT), TOP + legend_at[1] * (HEIGHT - TOP - BOTTOM)
        return "\n".join([f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" role="img" aria-label="{self.title}">',
                          STYLE, f'<rect class="page" width="{WIDTH}" height="{HEIGHT}"/>',
                          f'<text class="ink title" x="{LEFT}" y="26">{self.title}</text>',
                          *self._axes(), *self.parts, *self._legend(round(x), round(y)), "</svg>", ""])
