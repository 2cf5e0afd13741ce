class TurnStart:
    @staticmethod
    def left_out():
        return "not yet"
