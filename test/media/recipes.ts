import type { MediaRecipe } from './made-media.ts';

/** An input that ffmpeg draws or sounds itself, such as `testsrc=s=64x48:r=25:d=1`. */
export const drawn = (graph: string): readonly string[] => ['-f', 'lavfi', '-i', graph];

/** The quickest H.264 that every player shows. */
export const quickH264: readonly string[] = ['-c:v', 'libx264', '-preset', 'ultrafast'];

/** Four seconds of H.264, 320x180 at 25 frames a second, and of a tone in mono AAC. */
export const base: MediaRecipe = {
  words: [...drawn('testsrc=s=320x180:r=25:d=4'), ...drawn('sine=440:d=4'), ...quickH264, '-c:a', 'aac'],
  extension: 'mp4',
};

/** The output of ffmpeg from `base`, for the arguments between its name and that of the output. */
export const ofBase = (extension: string, words: readonly string[] = []): MediaRecipe => ({
  words: ['-i', 'base.mp4', ...words],
  extension,
  inputs: { 'base.mp4': base },
});

/** A tone of so many seconds. */
export const tone = (seconds: number, extension = 'wav', words: readonly string[] = []): MediaRecipe => ({
  words: [...drawn(`sine=d=${seconds}`), ...words],
  extension,
});

/** A picture of red. */
export const redPicture: MediaRecipe = {
  words: [...drawn('color=red:s=64x64:d=1'), '-frames:v', '1'],
  extension: 'png',
};
