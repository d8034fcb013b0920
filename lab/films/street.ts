import { between, type Chance, oneOf, whole } from '../../fixtures/chance.ts';
import { type Color, fill, look, type Picture, picture } from './picture.ts';
import { FILM_HEIGHT, FILM_WIDTH, type Shot } from './shot.ts';

const anyColor = (chance: Chance): Color => [
  between(chance, 10, 240),
  between(chance, 10, 240),
  between(chance, 10, 240),
];

/** A vehicle: its left edge at a time, its lane, and what is painted on it. */
interface Vehicle {
  readonly from: number;
  readonly pace: number;
  readonly y: number;
  readonly w: number;
  readonly h: number;
  readonly body: Color;
  readonly glass: Color;
}

function vehicleOf(chance: Chance, from: number): Vehicle {
  const near = between(chance, 0.25, 1);
  const h = near * between(chance, 0.3, 0.75) * FILM_HEIGHT;
  return {
    from,
    pace: oneOf(chance, [-1, 1]) * near * between(chance, 60, 260),
    y: between(chance, 0.25, 0.6) * FILM_HEIGHT,
    w: h * between(chance, 1.2, 3),
    h,
    body: anyColor(chance),
    glass: anyColor(chance),
  };
}

function drawn(vehicle: Vehicle, second: number, into: Picture): void {
  const { from, pace, y, w, h, body, glass } = vehicle;
  const x = (pace > 0 ? -w : FILM_WIDTH) + pace * (second - from);
  if (second < from || x > FILM_WIDTH || x + w < 0) return;
  fill(into, { x, y: y + h * 0.3, w, h: h * 0.6 }, body);
  fill(into, { x: x + w * 0.15, y, w: w * 0.6, h: h * 0.4 }, glass);
  for (const wheel of [0.15, 0.7])
    fill(into, { x: x + w * wheel, y: y + h * 0.75, w: h * 0.25, h: h * 0.25, round: true }, [15, 15, 15]);
}

/** A camera that does not move: vehicles cross a scene, near and far, one or several at a time. */
export function streetOf(scene: Picture, seconds: number, chance: Chance): Shot {
  const view = { x: between(chance, 0.4, 0.6), y: between(chance, 0.4, 0.6), reach: between(chance, 0.5, 0.9) };
  const vehicles: Vehicle[] = [];
  for (let from = between(chance, 0, 1.5); from < seconds; from += between(chance, 0.3, 2.4)) {
    for (let beside = whole(chance, 1, 2); beside > 0; beside -= 1) vehicles.push(vehicleOf(chance, from));
  }
  const into = picture(FILM_WIDTH, FILM_HEIGHT);
  return (second) => {
    look(scene, view, into);
    for (const vehicle of vehicles) drawn(vehicle, second, into);
    return into;
  };
}
