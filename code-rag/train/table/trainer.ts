/**
 * Learns the rows of the table: a text is the weighted sum of its pieces' rows, L2-normalised; the two texts of a pair
 * should be closer to each other than to the other texts of their batch (InfoNCE, in both directions; van den Oord et
 * al., "Representation Learning with Contrastive Predictive Coding", 2018). The length of a row is the weight of its
 * piece, and is learned with it. Adagrad, since a rare word's row is seldom touched and then has to move far.
 *
 * One thread, so that a seed gives one table.
 */

import type { CountedTexts } from "./texts.ts";

export interface TrainerOptions {
  readonly dimensions: number;
  readonly rows: number;
  readonly batch: number;
  readonly temperature: number;
  /** Share of a text's pieces that a step leaves out, so that no single word decides. */
  readonly dropout: number;
  readonly random: () => number;
}

const EPSILON = 1e-8;

export class Trainer {
  readonly values: Float32Array;
  readonly #options: TrainerOptions;
  readonly #squares: Float32Array;
  readonly #gradient: Float32Array;
  readonly #touched: Int32Array;
  readonly #isTouched: Uint8Array;
  #touchedCount = 0;
  readonly #left: Side;
  readonly #right: Side;
  readonly #logits: Float32Array;
  readonly #slopes: Float32Array;

  /** @param weights first lengths of the rows. */
  constructor(options: TrainerOptions, weights: Float32Array) {
    const { dimensions, rows, batch, random } = options;
    this.#options = options;
    this.values = new Float32Array(rows * dimensions);
    for (let row = 0; row < rows; row++) {
      const scale = (weights[row] as number) / Math.sqrt(dimensions);
      for (let i = row * dimensions; i < (row + 1) * dimensions; i++) this.values[i] = scale * gaussian(random);
    }
    this.#squares = new Float32Array(rows * dimensions);
    this.#gradient = new Float32Array(rows * dimensions);
    this.#touched = new Int32Array(rows);
    this.#isTouched = new Uint8Array(rows);
    this.#left = new Side(batch, dimensions);
    this.#right = new Side(batch, dimensions);
    this.#logits = new Float32Array(batch * batch);
    this.#slopes = new Float32Array(batch * batch);
  }

  /**
   * One step over the pairs `chosen` (indices into both lists of texts); gives the mean loss.
   * @param same tells two pairs that share a text: neither is an example of what is different.
   */
  step(
    queries: CountedTexts,
    codes: CountedTexts,
    chosen: Int32Array,
    same: (a: number, b: number) => boolean,
    rate: number,
  ): number {
    const { dropout, random } = this.#options;
    const size = chosen.length;
    this.#left.pool(this.values, queries, chosen, dropout, random);
    this.#right.pool(this.values, codes, chosen, dropout, random);
    const loss = this.#compare(chosen, size, same);
    this.#left.descend(this.#slopes, size, size, 1, this.#right.unit);
    this.#right.descend(this.#slopes, size, 1, size, this.#left.unit);
    this.#scatter(this.#left, size);
    this.#scatter(this.#right, size);
    this.#update(rate);
    return loss;
  }

  /** Fills the slopes of the loss by each cosine. */
  #compare(chosen: Int32Array, size: number, same: (a: number, b: number) => boolean): number {
    const { dimensions, temperature } = this.#options;
    const [left, right, logits, slopes] = [this.#left.unit, this.#right.unit, this.#logits, this.#slopes];
    for (let i = 0; i < size; i++) {
      for (let j = 0; j < size; j++) {
        const masked = i !== j && same(chosen[i] as number, chosen[j] as number);
        logits[i * size + j] = masked
          ? -1e9
          : dot(left, i * dimensions, right, j * dimensions, dimensions) / temperature;
      }
    }
    slopes.fill(0, 0, size * size);
    const share = 1 / (2 * size * temperature);
    let loss = 0;
    // Rows: which code belongs to this query; columns: which query to this code.
    for (const [step, across] of [
      [size, 1],
      [1, size],
    ] as const) {
      for (let i = 0; i < size; i++) {
        let top = -Infinity;
        for (let j = 0; j < size; j++) top = Math.max(top, logits[i * step + j * across] as number);
        let total = 0;
        for (let j = 0; j < size; j++) total += Math.exp((logits[i * step + j * across] as number) - top);
        for (let j = 0; j < size; j++) {
          const at = i * step + j * across;
          const probability = Math.exp((logits[at] as number) - top) / total;
          slopes[at] = (slopes[at] as number) + share * (probability - (i === j ? 1 : 0));
        }
        loss += Math.log(total) + top - (logits[i * size + i] as number);
      }
    }
    return loss / (2 * size);
  }

  /** Spreads the slopes of the texts over the rows of their pieces. */
  #scatter(side: Side, size: number): void {
    const { dimensions } = this.#options;
    for (let text = 0; text < size; text++) {
      for (let entry = side.starts[text] as number; entry < (side.starts[text + 1] as number); entry++) {
        const row = side.rows[entry] as number;
        if (this.#isTouched[row] === 0) {
          this.#isTouched[row] = 1;
          this.#touched[this.#touchedCount++] = row;
        }
        addScaled(
          this.#gradient,
          row * dimensions,
          side.slope,
          text * dimensions,
          side.weights[entry] as number,
          dimensions,
        );
      }
    }
  }

  #update(rate: number): void {
    const { dimensions } = this.#options;
    const [values, squares, gradient] = [this.values, this.#squares, this.#gradient];
    for (let t = 0; t < this.#touchedCount; t++) {
      const row = this.#touched[t] as number;
      this.#isTouched[row] = 0;
      for (let i = row * dimensions; i < (row + 1) * dimensions; i++) {
        const slope = gradient[i] as number;
        const square = (squares[i] as number) + slope * slope;
        squares[i] = square;
        values[i] = (values[i] as number) - (rate * slope) / (Math.sqrt(square) + EPSILON);
        gradient[i] = 0;
      }
    }
    this.#touchedCount = 0;
  }
}

/** One text of each pair of a batch: its pieces, its unit vector, and the slope of the loss by its sum. */
class Side {
  readonly unit: Float32Array;
  readonly slope: Float32Array;
  readonly starts: Int32Array;
  rows = new Int32Array(1 << 16);
  weights = new Float32Array(1 << 16);
  readonly #lengths: Float32Array;
  readonly #dimensions: number;

  constructor(batch: number, dimensions: number) {
    this.#dimensions = dimensions;
    this.unit = new Float32Array(batch * dimensions);
    this.slope = new Float32Array(batch * dimensions);
    this.starts = new Int32Array(batch + 1);
    this.#lengths = new Float32Array(batch);
  }

  pool(values: Float32Array, texts: CountedTexts, chosen: Int32Array, dropout: number, random: () => number): void {
    const dimensions = this.#dimensions;
    this.unit.fill(0);
    let length = 0;
    chosen.forEach((text, index) => {
      const end = texts.starts[text + 1] as number;
      for (let entry = texts.starts[text] as number; entry < end; entry++) {
        if (random() < dropout) continue;
        if (length === this.rows.length) this.#grow();
        this.rows[length] = texts.rows[entry] as number;
        this.weights[length] = texts.weights[entry] as number;
        addScaled(
          this.unit,
          index * dimensions,
          values,
          (texts.rows[entry] as number) * dimensions,
          texts.weights[entry] as number,
          dimensions,
        );
        length++;
      }
      this.starts[index + 1] = length;
      const from = index * dimensions;
      const norm = Math.sqrt(dot(this.unit, from, this.unit, from, dimensions)) + EPSILON;
      this.#lengths[index] = norm;
      for (let i = from; i < from + dimensions; i++) this.unit[i] = (this.unit[i] as number) / norm;
    });
  }

  /** Slope by the sum: through the cosines with the other side's units, then through the normalisation. */
  descend(slopes: Float32Array, size: number, step: number, across: number, others: Float32Array): void {
    const dimensions = this.#dimensions;
    this.slope.fill(0);
    for (let i = 0; i < size; i++) {
      const from = i * dimensions;
      for (let j = 0; j < size; j++)
        addScaled(this.slope, from, others, j * dimensions, slopes[i * step + j * across] as number, dimensions);
      const along = dot(this.slope, from, this.unit, from, dimensions);
      const norm = this.#lengths[i] as number;
      for (let k = from; k < from + dimensions; k++)
        this.slope[k] = ((this.slope[k] as number) - along * (this.unit[k] as number)) / norm;
    }
  }

  #grow(): void {
    const [rows, weights] = [new Int32Array(this.rows.length * 2), new Float32Array(this.rows.length * 2)];
    rows.set(this.rows);
    weights.set(this.weights);
    [this.rows, this.weights] = [rows, weights];
  }
}

function dot(a: Float32Array, from: number, b: Float32Array, at: number, length: number): number {
  // Four sums, since one would wait for itself at every step. Dimensions are a multiple of 32.
  let [s, t, u, v] = [0, 0, 0, 0];
  for (let i = 0; i < length; i += 4) {
    s += (a[from + i] as number) * (b[at + i] as number);
    t += (a[from + i + 1] as number) * (b[at + i + 1] as number);
    u += (a[from + i + 2] as number) * (b[at + i + 2] as number);
    v += (a[from + i + 3] as number) * (b[at + i + 3] as number);
  }
  return s + t + u + v;
}

function addScaled(
  into: Float32Array,
  at: number,
  from: Float32Array,
  start: number,
  factor: number,
  length: number,
): void {
  for (let i = 0; i < length; i++) into[at + i] = (into[at + i] as number) + factor * (from[start + i] as number);
}

/** Box–Muller. */
function gaussian(random: () => number): number {
  return Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
}
