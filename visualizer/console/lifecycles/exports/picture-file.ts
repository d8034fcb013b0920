import type { ChartDrawing } from '../../../../contract/lifecycles/charts.ts';
import { svgOf } from '../../../drawing/svg.ts';
import { themes } from '../../../drawing/theme.ts';

/** The theme that the page has now, by what the browser computes. */
const themeNow = () =>
  themes[getComputedStyle(document.documentElement).colorScheme === 'dark' || isDarkSystem() ? 'dark' : 'light'];

const isDarkSystem = (): boolean =>
  document.documentElement.dataset.theme !== 'light' && matchMedia('(prefers-color-scheme: dark)').matches;

/** The drawing as an SVG text in the colours of the page. */
export const svgNow = (drawing: ChartDrawing): string => svgOf(drawing, themeNow());

/** Pixels for each px of the drawing, so that it is sharp in print. */
const pngScale = 2;

/** The drawing as a PNG. Rejects where the browser cannot draw it. */
export async function pngOf(drawing: ChartDrawing): Promise<Blob> {
  const address = URL.createObjectURL(new Blob([svgNow(drawing)], { type: 'image/svg+xml' }));
  try {
    const image = new Image();
    image.src = address;
    await image.decode();
    const canvas = document.createElement('canvas');
    canvas.width = image.naturalWidth * pngScale;
    canvas.height = image.naturalHeight * pngScale;
    canvas.getContext('2d')?.drawImage(image, 0, 0, canvas.width, canvas.height);
    return await new Promise<Blob>((resolve, reject) => {
      canvas.toBlob((blob) => (blob === null ? reject(new Error('the browser made no picture')) : resolve(blob)));
    });
  } finally {
    URL.revokeObjectURL(address);
  }
}
