package org.sallyport.sandbox.guest;

import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * How a runtime works.
 *
 * @param threads threads that guest code computes on
 * @param dedicatedProcess whether the process is the guests' alone: then memory is watched, and a guest that cannot be
 *     stopped is left to whoever can end the process
 * @param libraryDirectory where the unpacked library of the native compiler lies; null to unpack it when first needed
 */
public record GuestSettings(
        int threads, boolean dedicatedProcess, @Nullable Path libraryDirectory) {}
