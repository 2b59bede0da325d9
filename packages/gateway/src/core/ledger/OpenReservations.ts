/** Reservations that are not closed yet, and which of them nobody will close any more. */
import type { Clock } from "effect"
import type { HeldReservation, Reservation } from "./Reservation.ts"

/**
 * A call ends with its deployment's `total`. Who takes the rest of an answer more slowly than this after it, or who got lost within the
 * gateway, is given up.
 */
const EXPIRES_AFTER_MS = 600_000
const LOOK_EVERY_MS = 60_000

export class OpenReservations {
  private readonly open = new Map<Reservation, HeldReservation>()
  private readonly clock: Clock.Clock
  private lookAt: number
  /** In ms, as the reservations are dated. */
  now: number

  constructor(clock: Clock.Clock) {
    this.clock = clock
    this.now = this.passed()
    this.lookAt = this.now + LOOK_EVERY_MS
  }

  add(reservation: HeldReservation): void {
    this.open.set(reservation, reservation)
  }

  /** Undefined where it was closed before. */
  take(reservation: Reservation): HeldReservation | undefined {
    const held = this.open.get(reservation)
    if (held !== undefined) this.open.delete(reservation)
    return held
  }

  /** It was some time since anybody looked. To be asked before one is made: it is then that the clock is read. */
  isTimeToLook(): boolean {
    this.now = this.passed()
    return this.now >= this.lookAt
  }

  /** Those whose calls can't be under way any more. */
  expired(): ReadonlyArray<HeldReservation> {
    this.now = this.passed()
    this.lookAt = this.now + LOOK_EVERY_MS
    return Array.from(this.open.values()).filter(
      ({ deployment, made }) => this.now - made >= deployment.timeouts.total + EXPIRES_AFTER_MS
    )
  }

  private passed(): number {
    return Number(this.clock.monotonicTimeNanosUnsafe() / 1_000_000n)
  }
}
