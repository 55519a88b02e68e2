package org.sallyport.bench.row;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;
import org.sallyport.bench.report.Beside;
import org.sallyport.bench.report.Figure;
import org.sallyport.bench.service.Usage;

class HeldTest {
    private static final long MEGABYTE = 1024 * 1024;

    @Test
    void aHeapThatGrowsByMoreThanAFifthMissesItsTarget() {
        List<Figure> figures = held(120).beside(held(100), "early");
        assertThat(figures).extracting(Figure::name).containsExactly("server heap", "server RSS");
        assertThat(figures.get(0).value()).isEqualTo(120);
        assertThat(figures.get(0).reached()).isTrue();
        assertThat(figures.get(0).beside()).contains(new Beside("early", 100, 1.2));
        assertThat(held(121).beside(held(100), "early").get(0).reached()).isFalse();
    }

    @Test
    void whatTheSystemDoesNotShowIsNoFigure() {
        Held unknown = new Held(OptionalLong.empty(), Optional.empty());
        assertThat(unknown.beside(held(100), "early")).isEmpty();
        assertThat(held(100).beside(unknown, "early")).isEmpty();
    }

    private static Held held(long heap) {
        return new Held(
                OptionalLong.of(heap * MEGABYTE),
                Optional.of(new Usage(0, 5 * heap * MEGABYTE, 1, MEGABYTE, MEGABYTE, 1)));
    }
}
