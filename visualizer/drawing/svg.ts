import type { ChartDrawing } from '../../contract/lifecycles/charts.ts';
import { pageMargin } from './distances.ts';
import { type Shape, shapesOf } from './shapes.ts';
import { styleOf } from './style.ts';
import type { Theme } from './theme.ts';

const escaped = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');

/** A shape, or a text, as it stands in an SVG file. */
export const markupOf = (part: Shape | string): string => {
  if (typeof part === 'string') return escaped(part);
  const { tag, attributes, children } = part;
  const written = Object.entries(attributes).map(([name, value]) => ` ${name}="${escaped(value)}"`);
  const head = `<${tag}${written.join('')}`;
  return children.length === 0 ? `${head}/>` : `${head}>${children.map(markupOf).join('')}</${tag}>`;
};

/** The drawing as an SVG text. */
export const svgOf = (drawing: ChartDrawing, theme: Theme): string => {
  const width = drawing.width + 2 * pageMargin;
  const height = drawing.height + 2 * pageMargin;
  return `${[
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="${-pageMargin} ${-pageMargin} ${width} ${height}">`,
    `<title>${escaped(`${drawing.machineId}, version ${drawing.machineVersion}`)}</title>`,
    `<style>\n${styleOf(theme)}\n</style>`,
    `<rect class="page" x="${-pageMargin}" y="${-pageMargin}" width="${width}" height="${height}"/>`,
    ...shapesOf(drawing).map(markupOf),
    '</svg>',
  ].join('\n')}\n`;
};
