import {
  SMALL_BYTES,
  SMALL_HEIGHT,
  SMALL_WIDTH,
  type SmallPicture,
  smallPicture,
} from '../../../executors/pictures/small-picture.ts';
import type { FilmPlan } from '../../../scripts/films/catalogue.ts';
import { picturesOf } from '../../../scripts/films/film.ts';
import type { Picture } from '../../../scripts/films/picture.ts';

/** A quarter of the pixels, each the mean of four: a built picture is twice as wide and as high. */
function reduced({ width, rgb }: Picture): Uint8Array {
  const small = new Uint8Array(SMALL_BYTES);
  for (let y = 0; y < SMALL_HEIGHT; y += 1) {
    for (let x = 0; x < SMALL_WIDTH * 3; x += 1) {
      const at = 2 * y * width * 3 + Math.floor(x / 3) * 6 + (x % 3);
      const below = at + width * 3;
      const sum = (rgb[at] ?? 0) + (rgb[at + 3] ?? 0) + (rgb[below] ?? 0) + (rgb[below + 3] ?? 0);
      small[y * SMALL_WIDTH * 3 + x] = Math.round(sum / 4);
    }
  }
  return small;
}

/** The pictures of a film as a pass would hand them over, without an encoder in between. */
export function* picturesOfFilm({ film }: FilmPlan): Generator<SmallPicture> {
  let frame = 0;
  for (const picture of picturesOf(film)) {
    yield smallPicture(Math.round((frame * 1000) / film.framesPerSecond), reduced(picture));
    frame += 1;
  }
}
