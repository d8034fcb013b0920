import { between, type Chance, oneOf, whole } from '../../fixtures/chance.ts';
import { type Color, fill, type Picture, picture } from './picture.ts';

const WIDTH = 384;
const HEIGHT = 216;

const anyColor = (chance: Chance, low = 0, high = 255): Color => [
  between(chance, low, high),
  between(chance, low, high),
  between(chance, low, high),
];

function eachPixel(paint: (x: number, y: number) => Color): Picture {
  const made = picture(WIDTH, HEIGHT);
  for (let y = 0; y < HEIGHT; y += 1) for (let x = 0; x < WIDTH; x += 1) made.rgb.set(paint(x, y), (y * WIDTH + x) * 3);
  return made;
}

const mixed = (one: Color, other: Color, share: number): Color => [
  one[0] + (other[0] - one[0]) * share,
  one[1] + (other[1] - one[1]) * share,
  one[2] + (other[2] - one[2]) * share,
];

const shaded = ([r, g, b]: Color, by: number): Color => [
  Math.min(255, r * by),
  Math.min(255, g * by),
  Math.min(255, b * by),
];

/** Smooth noise in [0, 1): values on a grid of this size, and finer grids of half the weight over it. */
function clouds(chance: Chance, size: number, layers: number): (x: number, y: number) => number {
  const side = 64;
  const grids = Array.from({ length: layers }, () => Float32Array.from({ length: side * side }, chance));
  const smooth = (part: number) => part * part * (3 - 2 * part);
  return (x, y) => {
    let [sum, weight, whole] = [0, 1, 0];
    for (const [layer, grid] of grids.entries()) {
      const [u, v] = [(x / size) * 2 ** layer, (y / size) * 2 ** layer];
      const [column, row] = [Math.floor(u), Math.floor(v)];
      const value = (dx: number, dy: number) => grid[((row + dy) % side) * side + ((column + dx) % side)] ?? 0;
      const [across, down] = [smooth(u - column), smooth(v - row)];
      const upper = value(0, 0) * (1 - across) + value(1, 0) * across;
      const lower = value(0, 1) * (1 - across) + value(1, 1) * across;
      sum += weight * (upper * (1 - down) + lower * down);
      whole += weight;
      weight /= 2;
    }
    return sum / whole;
  };
}

/** Boxes and discs of all colors over a gradient of two. */
function mosaic(chance: Chance): Picture {
  const [from, to] = [anyColor(chance), anyColor(chance)];
  const made = eachPixel((x, y) => mixed(from, to, (x + y) / (WIDTH + HEIGHT)));
  for (let left = whole(chance, 15, 45); left > 0; left -= 1) {
    const box = {
      x: between(chance, -20, WIDTH),
      y: between(chance, -20, HEIGHT),
      w: between(chance, 12, 90),
      h: between(chance, 12, 90),
    };
    fill(made, { ...box, round: chance() < 0.5 }, anyColor(chance));
  }
  return made;
}

/** Fields around points, each shaded towards its border. */
function cells(chance: Chance): Picture {
  const points = Array.from({ length: whole(chance, 10, 40) }, () => ({
    x: between(chance, 0, WIDTH),
    y: between(chance, 0, HEIGHT),
    color: anyColor(chance, 20),
  }));
  return eachPixel((x, y) => {
    let [nearest, color]: [number, Color] = [Number.POSITIVE_INFINITY, [0, 0, 0]];
    for (const point of points) {
      const distance = (point.x - x) ** 2 + (point.y - y) ** 2;
      if (distance < nearest) [nearest, color] = [distance, point.color];
    }
    return shaded(color, 1.1 - Math.sqrt(nearest) / 110);
  });
}

/** A page of lines on light or dark paper, with a title and sometimes a figure. */
function page(chance: Chance): Picture {
  const isDark = chance() < 0.3;
  const made = picture(WIDTH, HEIGHT);
  fill(made, { x: 0, y: 0, w: WIDTH, h: HEIGHT }, isDark ? anyColor(chance, 10, 50) : anyColor(chance, 225, 255));
  const ink = isDark ? anyColor(chance, 190, 240) : anyColor(chance, 10, 70);
  fill(made, { x: 30, y: between(chance, 14, 26), w: between(chance, 120, 300), h: 14 }, anyColor(chance, 20, 200));
  const width = chance() < 0.5 ? 320 : 150;
  for (let y = 56; y < 196; y += whole(chance, 11, 18)) {
    for (let x = 30; x < 30 + width - 12; ) {
      const w = between(chance, 6, 34);
      fill(made, { x, y, w, h: 5 }, ink);
      x += w + 5;
    }
  }
  if (width < 200)
    fill(made, { x: 210, y: between(chance, 50, 80), w: 140, h: between(chance, 60, 110) }, anyColor(chance, 30, 220));
  return made;
}

/** Sky, hills and ground. */
function landscape(chance: Chance): Picture {
  const [sky, haze, near, far] = [
    anyColor(chance, 90, 250),
    anyColor(chance, 120, 255),
    anyColor(chance, 10, 120),
    anyColor(chance, 50, 170),
  ];
  const [ridge, ground, air] = [clouds(chance, 90, 4), clouds(chance, 24, 4), clouds(chance, 70, 4)];
  const level = between(chance, 0.3, 0.7) * HEIGHT;
  return eachPixel((x, y) => {
    const horizon = level + (ridge(x, 3) - 0.5) * 90;
    if (y < horizon) return mixed(mixed(sky, haze, y / HEIGHT), [255, 255, 255], Math.max(0, air(x, y) - 0.5));
    return shaded(mixed(far, near, (y - horizon) / (HEIGHT - horizon + 1)), 0.5 + ground(x, y));
  });
}

/** Leaves, gravel, cloth: fine detail of two colors everywhere. */
function thicket(chance: Chance): Picture {
  const [light, dark] = [anyColor(chance, 80, 230), anyColor(chance, 5, 110)];
  const [fine, broad] = [clouds(chance, between(chance, 6, 14), 3), clouds(chance, 80, 2)];
  return eachPixel((x, y) => shaded(mixed(dark, light, fine(x, y)), 0.5 + broad(x, y)));
}

/** A wall, a floor, some furniture, one light. */
function room(chance: Chance): Picture {
  const [wall, floor] = [anyColor(chance, 60, 230), anyColor(chance, 30, 170)];
  const [lampX, lampY] = [between(chance, 0, WIDTH), between(chance, 0, HEIGHT / 2)];
  const edge = between(chance, 0.55, 0.8) * HEIGHT;
  const grain = clouds(chance, 12, 3);
  const made = eachPixel((x, y) => shaded(y < edge ? wall : floor, 0.9 + 0.2 * grain(x, y)));
  for (let left = whole(chance, 3, 9); left > 0; left -= 1) {
    const [w, h] = [between(chance, 20, 100), between(chance, 20, 120)];
    fill(made, { x: between(chance, -30, WIDTH), y: edge + 20 - h * chance(), w, h }, anyColor(chance, 15, 220));
  }
  for (let y = 0; y < HEIGHT; y += 1) {
    for (let x = 0; x < WIDTH; x += 1) {
      const light = 0.45 + 0.9 * Math.exp(-((x - lampX) ** 2 + (y - lampY) ** 2) / 30_000);
      const at = (y * WIDTH + x) * 3;
      for (let c = at; c < at + 3; c += 1) made.rgb[c] = Math.min(255, (made.rgb[c] ?? 0) * light);
    }
  }
  return made;
}

/** Houses at dusk with lit windows. */
function city(chance: Chance): Picture {
  const [above, below] = [anyColor(chance, 10, 90), anyColor(chance, 40, 190)];
  const made = eachPixel((_, y) => mixed(above, below, y / HEIGHT));
  for (let x = -10; x < WIDTH; ) {
    const [w, h] = [between(chance, 20, 60), between(chance, 50, 190)];
    fill(made, { x, y: HEIGHT - h, w, h }, anyColor(chance, 8, 80));
    for (let wy = HEIGHT - h + 6; wy < HEIGHT - 8; wy += 13) {
      for (let wx = x + 4; wx < x + w - 6; wx += 10) {
        if (chance() < 0.45) fill(made, { x: wx, y: wy, w: 5, h: 7 }, anyColor(chance, 120, 255));
      }
    }
    x += w + between(chance, 0, 12);
  }
  return made;
}

/** Pictures for tuning the rule, and pictures kept for its test: no kind is in both. */
const sceneries = { tuned: [mosaic, cells, page], kept: [landscape, thicket, room, city] } as const;
export type FilmSet = keyof typeof sceneries;

/** A page, on which a film of slides is built in either set. */
export { page };

export const sceneryOf = (set: FilmSet, chance: Chance): Picture => oneOf(chance, sceneries[set])(chance);
