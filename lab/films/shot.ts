import { between, type Chance, oneOf } from '../../fixtures/chance.ts';
import { type Color, fill, look, type Picture, picture, type View } from './picture.ts';

/** Size of a built picture; the rule works on a small copy of any picture. */
export const FILM_WIDTH = 192;
export const FILM_HEIGHT = 108;

/** A shot gives its picture at a time, in seconds from its start. The picture is valid until the next call. */
export type Shot = (second: number) => Picture;

const cameraMoves = ['still', 'hand', 'pan', 'zoom', 'shake', 'whip'] as const;
export type CameraMove = (typeof cameraMoves)[number];

type Path = (second: number) => View;

const wave = (chance: Chance, size: number, hertz: number) => {
  const [phase, pace] = [between(chance, 0, 7), between(chance, 0.7, 1.3) * hertz * 2 * Math.PI];
  return (second: number) => size * Math.sin(phase + pace * second);
};

function pathOf(move: CameraMove, chance: Chance): Path {
  const [x, y, reach] = [between(chance, 0.4, 0.6), between(chance, 0.4, 0.6), between(chance, 0.5, 0.9)];
  const trembling = (size: number, hertz: number): Path => {
    const [first, second, third] = [
      wave(chance, size, hertz),
      wave(chance, size, hertz * 1.7),
      wave(chance, size, hertz * 1.3),
    ];
    return (at) => ({ x: x + first(at) + second(at) / 2, y: y + third(at), reach });
  };
  switch (move) {
    case 'still':
      return () => ({ x, y, reach });
    case 'hand':
      return trembling(0.004, 0.8);
    case 'shake':
      return trembling(0.03, 3);
    case 'pan': {
      const pace = between(chance, 0.03, 0.12) * oneOf(chance, [-1, 1]);
      return (at) => ({ x: x + pace * at, y, reach });
    }
    case 'zoom': {
      const pace = between(chance, 0.03, 0.1) * oneOf(chance, [-1, 1]);
      return (at) => ({ x, y, reach: Math.max(0.2, reach * Math.exp(pace * at)) });
    }
    case 'whip': {
      const [after, pace] = [between(chance, 0.6, 1.4), between(chance, 3, 7) * oneOf(chance, [-1, 1])];
      const far = between(chance, 0.25, 0.5);
      const swung = (at: number) =>
        at < after ? 0 : at < after + far ? (1 - Math.cos(((at - after) / far) * Math.PI)) / 2 : 1;
      return (at) => ({ x: x + pace * far * 0.5 * swung(at), y, reach });
    }
  }
}

/** How a scene moves in front of the camera. */
interface ShotPlan {
  readonly move: CameraMove;
  /** How many bodies cross the picture. */
  readonly bodies: number;
}

/** A shot of a scene: a camera that moves, and bodies that cross the picture. */
export function shotOf(scene: Picture, { move, bodies }: ShotPlan, chance: Chance): Shot {
  const path = pathOf(move, chance);
  const crossing = Array.from({ length: bodies }, () => ({
    color: [between(chance, 10, 240), between(chance, 10, 240), between(chance, 10, 240)] as Color,
    size: between(chance, 0.12, 0.4) * FILM_HEIGHT,
    x: between(chance, 0, FILM_WIDTH),
    y: between(chance, 0.2, 0.8) * FILM_HEIGHT,
    pace: between(chance, 8, 60) * oneOf(chance, [-1, 1]),
    sway: wave(chance, 6, 0.6),
  }));
  const into = picture(FILM_WIDTH, FILM_HEIGHT);
  return (second) => {
    look(scene, path(second), into);
    for (const { color, size, x, y, pace, sway } of crossing) {
      const span = FILM_WIDTH + 2 * size;
      const at = ((((x + pace * second + size) % span) + span) % span) - size;
      fill(into, { x: at - size / 2, y: y - size + sway(second), w: size, h: 2 * size, round: true }, color);
    }
    return into;
  };
}
