package org.sallyport.connector.http;

import java.net.Inet4Address;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.Arrays;
import java.util.List;

/**
 * Checks whether an address is on the public Internet; blocks in IANA's special-purpose address registries are not
 * public.
 */
final class PublicAddressCheck {
    private static final List<AddressBlock> SPECIAL_V4 = List.of(
            AddressBlock.of("0.0.0.0", 8),
            AddressBlock.of("10.0.0.0", 8),
            AddressBlock.of("100.64.0.0", 10),
            AddressBlock.of("127.0.0.0", 8),
            AddressBlock.of("169.254.0.0", 16),
            AddressBlock.of("172.16.0.0", 12),
            AddressBlock.of("192.0.0.0", 24),
            AddressBlock.of("192.0.2.0", 24),
            AddressBlock.of("192.88.99.0", 24),
            AddressBlock.of("192.168.0.0", 16),
            AddressBlock.of("198.18.0.0", 15),
            AddressBlock.of("198.51.100.0", 24),
            AddressBlock.of("203.0.113.0", 24),
            AddressBlock.of("224.0.0.0", 4),
            AddressBlock.of("240.0.0.0", 4));

    /** The block from which global IPv6 unicast addresses are assigned. */
    private static final AddressBlock GLOBAL_V6 = AddressBlock.of("2000::", 3);

    private static final List<AddressBlock> SPECIAL_V6 = List.of(
            AddressBlock.of("2001::", 23), // Teredo, ORCHID and other protocols
            AddressBlock.of("2001:db8::", 32),
            AddressBlock.of("2002::", 16), // 6to4: may contain any IPv4 address
            AddressBlock.of("3fff::", 20));

    private PublicAddressCheck() {}

    /** Whether {@code address} is on the public Internet. */
    static boolean isPublic(InetAddress address) {
        byte[] bytes = address.getAddress();
        return address instanceof Inet4Address
                ? SPECIAL_V4.stream().noneMatch(block -> block.contains(bytes))
                : GLOBAL_V6.contains(bytes) && SPECIAL_V6.stream().noneMatch(block -> block.contains(bytes));
    }

    @SuppressWarnings("ArrayRecordComponent")
    private record AddressBlock(byte[] start, int prefixLength) {
        static AddressBlock of(String start, int bits) {
            try {
                return new AddressBlock(InetAddress.getByName(start).getAddress(), bits);
            } catch (UnknownHostException e) {
                throw new IllegalArgumentException(start, e);
            }
        }

        boolean contains(byte[] address) {
            if (address.length != start.length) {
                return false;
            }
            int whole = prefixLength / 8;
            int mask = 0xff << (8 - prefixLength % 8);
            return Arrays.equals(address, 0, whole, start, 0, whole)
                    && (prefixLength % 8 == 0 || (address[whole] & mask) == (start[whole] & mask));
        }
    }
}
